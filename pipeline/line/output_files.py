"""Where a command may write the file that it was asked for: over nothing that it did not write itself."""

from pathlib import Path

from pipeline.config import Config, ConfigError, config_path


def check_output(config: Config, option: str, file: Path | None, *, mark: bytes) -> None:
    """Refuse a place where a report, table or plot would do harm; called before anything is computed.

    Args:
        config: knows the sources: what lies there is read as a document by the next run.
        option: that named the file, such as `--csv`, for the message.
        file: what was asked for; None: nothing.
        mark: what stands in each file that the option writes. One that is there already is replaced if this stands in it
            and it is none of the project's own.

    Raises:
        ConfigError: the file must not be written; the message says why.
    """
    if file is None:
        return
    place = file.absolute().resolve()
    told = f"{option} = {str(file)!r}"
    if not place.parent.is_dir() or (place.exists() and not place.is_file()):
        raise ConfigError(f"{told}: must be a file in a folder that is there")
    for each in config.collections:
        source = config.resolve(each.source)
        if "://" not in source and place.is_relative_to(Path(source).resolve()):
            raise ConfigError(
                f"{told}: must not lie inside the source of collection {each.name!r}: the next run would read it as a"
                " document"
            )
    if place.exists() and (place in _own_files(config) or mark not in place.read_bytes()):
        raise ConfigError(
            f"{told}: is there already and is nothing that {option} wrote; name another file, or delete this one first"
        )


def _own_files(config: Config) -> set[Path]:
    questions = config.evaluation.questions
    own = [config_path(), *([Path(config.resolve(questions))] if questions else [])]
    return {each.resolve() for each in own}
