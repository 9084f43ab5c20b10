"""What a run would stumble over after minutes of work is looked at before it begins."""

from pipeline.config import ConfigError
from pipeline.line.judging import questions_of
from pipeline.line.workspace import Workspace


def check_settings(workspace: Workspace) -> None:
    """Whether engines, models, passwords, the reranker and questions that the configuration names are there. Loads nothing heavy.

    Raises:
        ConfigError: one of them is missing or cannot be used; the message names the key.
    """
    from pipeline.embedding.sources import EncoderError
    from pipeline.evaluation.questions import QuestionError
    from pipeline.parsing.artifacts import check_artifacts
    from pipeline.parsing.ocr import check_engine
    from pipeline.parsing.passwords import passwords_of
    from pipeline.retrieval.reranking import RerankerError

    check_engine(workspace.config.parsing.ocr)
    check_artifacts(workspace.config.parsing)
    passwords_of(workspace.config.parsing)
    try:
        workspace.encoders_for(workspace.config.embedding.models)
    except EncoderError as error:
        raise ConfigError(f"embedding.models: {error}") from error
    try:
        _ = workspace.reranker
    except RerankerError as error:
        raise ConfigError(str(error)) from error
    try:
        questions_of(workspace)
    except QuestionError as error:
        raise ConfigError(f"evaluation.questions: {error}") from error
