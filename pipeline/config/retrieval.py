"""`[retrieval]` and `[evaluation]`: how questions are answered, and which build may answer them."""

from typing import Annotated

from pydantic import Field

from pipeline.config.values import Section, Share, Slice


class RetrievalConfig(Section):
    candidates: int = Field(
        default=100, ge=1, le=10_000, description="Rows taken from each leg before fusion."
    )
    examined: int = Field(
        default=5_000,
        ge=0,
        le=100_000,
        description="Rows that match a question's words of which full text takes the best by what the asker may see; of more, by word statistics of the whole index.",
    )
    text_weight: float = Field(
        default=1.0, ge=0.0, le=100.0, description="Weight of full text; that of an encoder is 1."
    )
    cross_lingual_text_weight: float = Field(
        default=1.0,
        ge=0.0,
        le=100.0,
        description="Factor of text_weight for chunks whose language is not the query's.",
    )
    glossary: str = Field(
        default="",
        description="A file with words of your own beside those of Kesit's glossary: a line for each thing, German | English | Turkish, with ; between several words; empty: none.",
    )
    glossary_weight: Share = Field(
        default=1.0,
        description="What another word for a word of the question counts, as a share of that word; 0: the glossary is not used.",
    )
    encoder_weights: dict[
        Annotated[str, Field(pattern=r"^[a-z0-9_]+(:(same|cross|(tr|de|en)-(tr|de|en)))?$")],
        Annotated[float, Field(ge=0.0, le=100.0)],
    ] = Field(
        default={"e5_small:same": 2.0},
        description='Weights of encoders by their slug, else 1: { "e5_small" = 2, "e5_small:cross" = 0.5, "e5_small:en-de" = 0.3 }; same, cross: whether question and chunk share a language; en-de: English questions, German chunks. The narrowest key counts.',
    )
    reranker: str = Field(
        default="",
        description="Folder of a sentence-transformers cross-encoder or multi-vector model that orders the best candidates anew; empty: none.",
    )
    reranked: int = Field(default=30, ge=1, le=200, description="How many candidates the reranker reads.")
    authority_boost: float = Field(
        default=0.05, ge=0.0, le=100.0, description="Largest share added to a score for authority."
    )
    recency_boost: float = Field(
        default=0.05, ge=0.0, le=100.0, description="Largest share added to a score for recency."
    )
    per_document: int = Field(default=5, ge=1, description="Results of one document at most.")
    token_budget: int = Field(default=2000, ge=100, description="Tokens of parent text in one answer.")
    parent_tokens: int = Field(default=800, ge=50, description="A longer parent falls back to its child.")


class EvaluationConfig(Section):
    questions: str = Field(
        default="", description="Gold questions, JSON Lines; empty: builds go live unjudged."
    )
    min_recall_at_5: Share = Field(default=0.0, description="A build below this recall@5 does not go live.")
    max_recall_loss: Share = Field(
        default=0.02, description="A build that loses more recall@5 against the live one stays back."
    )
    max_slice_loss: Share = Field(
        default=0.10,
        description="A build that loses more in one language, kind or class of question, beyond chance, stays back.",
    )
    floors: dict[Slice, Share] = Field(
        default={},
        description='Floors of recall@5 by slice, for example { "lang=tr" = 0.8, "kind=table" = 0.7 }.',
    )
    k: int = Field(default=10, ge=5, le=100, description="Results retrieved for each question.")
