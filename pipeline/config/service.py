"""The settings of an OpenAI-compatible service, which `[figures]` and `[context]` share."""

from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from pipeline.config.values import Section, ServiceUrl, VariableName

AnswerTokens = Annotated[
    int,
    Field(
        ge=20,
        le=10_000,
        description="Tokens of an answer at most: one that does not fit is not used. A model that reasons needs more.",
    ),
]


class ServiceConfig(Section):
    permits: ClassVar[str]  # the key that names what may be sent

    endpoint: ServiceUrl = Field(
        default="",
        description="Base URL of an OpenAI-compatible service, such as http://localhost:8000/v1; empty: nothing is sent anywhere.",
    )
    model: str = Field(default="", description="Name of the model, as the service calls it.")
    api_key_variable: VariableName = Field(
        default="",
        description="Name of an environment variable that holds the key of the service; empty: no key.",
    )
    answer_tokens: AnswerTokens = 500
    timeout_seconds: int = Field(default=60, ge=1, description="An answer that takes longer is given up.")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.endpoint and not self.model:
            raise ValueError("endpoint is set, so model must be too")
        if self.endpoint and not getattr(self, self.permits):
            raise ValueError(f"endpoint is set, so {self.permits} must name what may be sent")
        return self
