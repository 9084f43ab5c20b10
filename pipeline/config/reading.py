"""`[parsing]`, `[gate]` and `[figures]`: how pages are read, and which are read well enough."""

from itertools import product
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from pipeline.config.service import ServiceConfig
from pipeline.config.values import DocumentClass, Language, Section, Share, VariableName


class ParsingConfig(Section):
    workers: int = Field(default=0, ge=0, le=256, description="Worker processes; 0 means one per core.")
    timeout_seconds: int = Field(default=300, ge=1, description="A document that takes longer is given up.")
    memory_mb: int = Field(
        default=4096,
        ge=2048,
        description="A worker that needs more address space is ended; the engines alone take 1300.",
    )
    max_pages: int = Field(default=2000, ge=1, description="Pages of a document beyond this are not read.")
    documents_per_worker: int = Field(
        default=50, ge=1, description="A worker is replaced after so many documents."
    )
    pages_per_range: int = Field(
        default=50,
        ge=1,
        description="A longer document is read in ranges of so many pages, side by side; each has the time limit for itself.",
    )
    ocr: Literal["rapidocr", "tesseract"] = Field(default="rapidocr", description="Engine for scanned pages.")
    passwords_variable: VariableName = Field(
        default="",
        description="Name of an environment variable that holds passwords of encrypted files, one a line.",
    )
    passwords_file: str = Field(
        default="",
        description="File that holds passwords of encrypted files, one a line.",
    )
    layout: Literal["auto", "geometry", "model", "docling"] = Field(
        default="auto",
        description="Who finds the regions of a page of a PDF or image: geometry (fonts and lines), the bundled model beside it, auto: the model only where geometry is unsure, and on scans; or docling: docling's own pipeline, slower.",
    )
    hidden_sheets: Literal["skip", "read"] = Field(
        default="skip",
        description="Hidden sheets, rows and columns of spreadsheets: leave them out (and say so), or read them.",
    )
    artifacts_path: str = Field(
        default="",
        description="With layout = \"docling\": folder with docling's models (Heron, TableFormer), which then read the pages; empty: the bundled engines do, inside docling's pipeline.",
    )

    @model_validator(mode="after")
    def _artifacts(self) -> Self:
        if self.artifacts_path and self.layout != "docling":
            raise ValueError(
                f"artifacts_path ({self.artifacts_path!r}) is used with layout = 'docling' only, not with {self.layout!r}"
            )
        return self


class ThresholdConfig(Section):
    """Thresholds for the pages of a language, of a class of documents, or of both."""

    language: Language | None = Field(default=None, description="Only pages in this language.")
    document_class: DocumentClass | None = Field(default=None, description="Only documents of this class.")
    flag_below: Share | None = Field(default=None, description="Instead of the general value.")
    reject_below: Share | None = Field(default=None, description="Instead of the general value.")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.language is None and self.document_class is None:
            raise ValueError(
                "must name a language, a document_class or both; for all pages: gate.flag_below, gate.reject_below"
            )
        if self.flag_below is None and self.reject_below is None:
            raise ValueError("must give flag_below, reject_below or both")
        return self


class GateConfig(Section):
    flag_below: Share = Field(
        default=0.70,
        description="Pages with a lower quality are indexed as low confidence: one character in ten may be wrong.",
    )
    reject_below: Share = Field(
        default=0.45,
        description="Pages with a lower quality are not indexed: one character in five may be wrong.",
    )
    thresholds: tuple[ThresholdConfig, ...] = Field(
        default=(),
        description="Other values for a language or a class of documents, or both, which count most:"
        ' { language = "de", document_class = "contract", flag_below = 0.8 }.',
    )
    second_pass: bool = Field(
        default=True,
        description="Read a page below flag_below again: its picture restored, then by the other OCR engine.",
    )
    warn_rejected_above: Share = Field(
        default=0.05, description="Dagster's check warns when a larger share of all pages is rejected."
    )

    @model_validator(mode="after")
    def _said_once(self) -> Self:
        first: dict[tuple[str | None, str | None], int] = {}
        for number, each in enumerate(self.thresholds):
            before = first.setdefault((each.language, each.document_class), number)
            if before != number:
                of = " ".join(filter(None, (each.language, each.document_class)))
                raise ValueError(
                    f"thresholds.{before} and thresholds.{number} are both for {of}: make them one"
                )
        return self

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        languages = {None, *(each.language for each in self.thresholds)}
        classes = {None, *(each.document_class for each in self.thresholds)}
        for language, document_class in product(languages, classes):
            flag, reject = self.limits(language, document_class)
            if reject > flag:
                where = " ".join(filter(None, (language, document_class)))
                raise ValueError(
                    f"reject_below ({reject}) must not exceed flag_below ({flag}){where and f' for {where}'}"
                )
        return self

    def limits(self, language: str | None, document_class: str | None) -> tuple[float, float]:
        """flag_below and reject_below of a page: what is said of its language and class, else of its class, else of its language, else of all."""
        fitting = [
            each
            for each in self.thresholds
            if each.language in (None, language) and each.document_class in (None, document_class)
        ]
        fitting.sort(key=lambda each: (each.document_class is not None, each.language is not None))
        flag, reject = self.flag_below, self.reject_below
        for each in fitting:
            flag = flag if each.flag_below is None else each.flag_below
            reject = reject if each.reject_below is None else each.reject_below
        return flag, reject

    def of_class(self, document_class: str) -> str:
        """The class, where it decides thresholds; "" for all classes of which nothing is said."""
        return (
            document_class if any(each.document_class == document_class for each in self.thresholds) else ""
        )


class FiguresConfig(ServiceConfig):
    permits: ClassVar[str] = "classes"

    classes: tuple[DocumentClass, ...] = Field(
        default=(),
        description="Only figures of documents of these classes are sent to a vision model, which describes them.",
    )
    uncaptioned: bool = Field(
        default=False,
        description="Send also large pictures without a caption, which are not indexed otherwise.",
    )
    max_images: int = Field(
        default=100,
        ge=1,
        description="Images sent in one `kesit run` at most, or in each run that Dagster starts, which is of one partition; the others wait for the next run.",
    )
    cost_per_image: float = Field(
        default=0.0,
        ge=0.0,
        description="What the description of one image costs, for the estimate; any currency.",
    )
