"""Where a command may write the file that it was asked for: over nothing that it did not write itself."""

from pathlib import Path

from pipeline.config import Config, ConfigError, config_path


def check_output(config: Config, option: str, file: Path | None, *, ending: str, mark: str = "") -> None:
    """Refuse a place where a report, table or plot would do harm; called before anything is computed.

    Args:
        config: knows the sources: what lies there is read as a document by the next run.
        option: that named the file, such as `--csv`, for the message.
        file: what was asked for; None: nothing.
        ending: of the files that the option writes, such as `.csv`. A file that is there already is replaced if it has
            this ending and is none of the project's own.
        mark: what stands in each of them.

    Raises:
        ConfigError: the file must not be written; the message says why.
    """
    if file is None:
        return
    place = file.absolute().resolve()
    told = f"{option} = {str(file)!r}"
    if place.is_dir() or not place.parent.is_dir():
        raise ConfigError(f"{told}: must be a file in a folder that is there")
    for each in config.collections:
        source = config.resolve(each.source)
        if "://" not in source and place.is_relative_to(Path(source).resolve()):
            raise ConfigError(
                f"{told}: must not lie inside the source of collection {each.name!r}: the next run would read it as a"
                " document"
            )
    if not place.exists():
        return
    other = place.suffix.lower() != ending or place in _own_files(config)
    if other or mark.encode() not in place.read_bytes():
        raise ConfigError(f"{told}: is there already and was not written by {option}; name another file")


def _own_files(config: Config) -> set[Path]:
    questions = config.evaluation.questions
    own = [config_path(), *([Path(config.resolve(questions))] if questions else [])]
    return {each.resolve() for each in own}
