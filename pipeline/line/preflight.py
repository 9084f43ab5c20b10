"""What a run would stumble over after minutes of work is looked at before it begins."""

from pipeline.config import ConfigError
from pipeline.line.judging import questions_of
from pipeline.line.workspace import Workspace


def check_settings(workspace: Workspace) -> None:
    """Whether engines, models, passwords, the reranker, glossary and questions that the configuration names are there. Loads no model.

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
    _check_weights(workspace)
    _ = workspace.glossary
    try:
        _ = workspace.reranker
    except RerankerError as error:
        raise ConfigError(str(error)) from error
    try:
        questions_of(workspace)
    except QuestionError as error:
        raise ConfigError(f"evaluation.questions: {error}") from error


def _check_weights(workspace: Workspace) -> None:
    """Whether each encoder that somebody gave a weight is one of the models; those of the default may be absent."""
    retrieval = workspace.config.retrieval
    usual = type(retrieval)().encoder_weights
    slugs = [encoder.slug for encoder in workspace.encoders]
    for key, weight in retrieval.encoder_weights.items():
        if key.partition(":")[0] not in slugs and usual.get(key) != weight:
            raise ConfigError(
                f"retrieval.encoder_weights: {key!r} = {weight}: no such encoder is in embedding.models; allowed: {', '.join(slugs)},"
                " each also with :same, :cross or languages such as :en-de"
            )
