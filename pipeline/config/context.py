"""`[context]`: the sentence by which a language model places a chunk in its document."""

from typing import Self

from pydantic import Field, model_validator

from pipeline.config.values import Name, Section, ServiceUrl


class ContextConfig(Section):
    endpoint: ServiceUrl = Field(
        default="",
        description="Base URL of an OpenAI-compatible service, whose language model writes the sentence for {context} in prefix_template; empty: nothing is sent anywhere.",
    )
    model: str = Field(default="", description="Name of the language model, as the service calls it.")
    api_key_variable: str = Field(
        default="",
        description="Name of an environment variable that holds the key of the service; empty: no key.",
    )
    collections: tuple[Name, ...] = Field(
        default=(), description="Only text of documents of these collections is sent."
    )
    shown_characters: int = Field(
        default=4000,
        ge=200,
        le=100_000,
        description="Characters of the document that are sent with a chunk: half from its beginning, half from around the chunk.",
    )
    answer_tokens: int = Field(
        default=150,
        ge=20,
        le=10_000,
        description="Tokens of an answer at most; a model that reasons needs more.",
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
    timeout_seconds: int = Field(default=60, ge=1, description="An answer that takes longer is given up.")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.endpoint and not self.model:
            raise ValueError("endpoint is set, so model must be too")
        if self.endpoint and not self.collections:
            raise ValueError("endpoint is set, so collections must name what may be sent")
        return self

    def cost(self, questions: int, tokens: int) -> float:
        """What questions of so many tokens together cost at most, their answers included; 0 without prices."""
        answered = questions * self.answer_tokens
        return (tokens * self.price_sent + answered * self.price_answered) / 1_000_000
