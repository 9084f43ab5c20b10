"""`[context]`: the sentence by which a language model places a chunk in its document."""

from typing import ClassVar

from pydantic import Field

from pipeline.config.service import AnswerTokens, ServiceConfig
from pipeline.config.values import Name


class ContextConfig(ServiceConfig):
    permits: ClassVar[str] = "collections"

    answer_tokens: AnswerTokens = 150
    collections: tuple[Name, ...] = Field(
        default=(),
        description="Only text of documents of these collections is sent, for a sentence that {context} in prefix_template stands for.",
    )
    shown_characters: int = Field(
        default=4000,
        ge=200,
        le=100_000,
        description="Characters of the document that are sent with a chunk: half from its beginning, half from around the chunk.",
    )
    max_tokens: int = Field(
        default=1_000_000,
        ge=1,
        description="Tokens sent and answered, as the encoder counts them, in one `kesit run` at most, or in each run that Dagster starts, which is of one partition; the other chunks wait for the next run.",
    )
    price_sent: float = Field(
        default=0.0, ge=0.0, description="Price of a million tokens sent, for the estimate; any currency."
    )
    price_answered: float = Field(
        default=0.0, ge=0.0, description="Price of a million tokens of answers, for the estimate."
    )

    def cost(self, questions: int, tokens: int) -> float:
        """What questions of so many tokens together cost at most, their answers included; 0 without prices."""
        answered = questions * self.answer_tokens
        return (tokens * self.price_sent + answered * self.price_answered) / 1_000_000
