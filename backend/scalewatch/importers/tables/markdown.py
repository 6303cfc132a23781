"""Tables in texts: Markdown, Org, reStructuredText, LaTeX, and aligned columns.

Tables of wikis and AsciiDoc, and those that are drawn with the signs of boxes, too.
JUBE before 2.5 draws them without bars at the sides, `nodes | time` over `-----+-----`.
Columns that are only aligned are parted by two blanks or more, or by tabs.
"""

import csv
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise, zip_longest
from typing import Final, NamedTuple

from scalewatch.errors import UnclearTable
from scalewatch.importers.series import ImportedMeasurement
from scalewatch.importers.source import Source
from scalewatch.importers.tables import html, separated
from scalewatch.importers.tables.shapes import Row
from scalewatch.outcomes import judge_value
from scalewatch.texts.cells import read_cell, read_label
from scalewatch.texts.scales import counted_by, parameter_of, scale_of

_BOX: Final = {
    **dict.fromkeys(range(0x2500, 0x2580), "+"),
    **dict.fromkeys(map(ord, "│┃║┆┇┊┋╎╏"), "|"),
    **dict.fromkeys(map(ord, "─━═┄┅┈┉╌╍"), "-"),
}
"""Signs that draw tables, and those of Markdown that mean the same."""

_RULE: Final = frozenset("-=:|+ \t")
"""Signs of a line that divides rows."""

_SHORT_RULE: Final = 2
"""Signs that are too few to divide rows."""

_OLD_RULE: Final = re.compile(r"[-: ]+([+|][-: ]+)+")
_SIMPLE_RULE: Final = re.compile(r"=++(?: ++=++)+")
_SIGNS: Final = re.compile(r"=++")
_DASHES: Final = re.compile(r"[-=]++(?:\s++[-=]++)*")
_GAP: Final = re.compile(r" {2,}|\t+")
_HEADING: Final = re.compile(r"(?:#+|\*+|=+)\s++(?P<text>\S.*)")
_BOLD: Final = re.compile(r"\*\*(?P<text>[^*]+)\*\*:?")
_EMPHASIS: Final = re.compile(r"\*\*+|`+|(?<!\S)\*(?=\S)|(?<=\S)\*(?!\S)")
_UNDERLINE: Final = re.compile(r"(?P<sign>[=~^\"'-])(?P=sign){3,}")
_TABULAR: Final = re.compile(
    r"\\begin\{(?:tabular|tabularx|longtable|tabulary|array)\*?\}"
)
_END_TABULAR: Final = re.compile(r"\\end\{(?:tabular|longtable|array)")
_TABLE: Final = re.compile(r"<table\b", re.IGNORECASE)
_ROW_OF_HTML: Final = re.compile(r"<tr\b", re.IGNORECASE)
_END_TABLE: Final = re.compile(r"</table\b", re.IGNORECASE)
_TITLE_TAG: Final = re.compile(
    r"<(?:h\d|caption)\b[^<>]*>(?P<text>[^<>]+)", re.IGNORECASE
)
_DIRECTIVE: Final = re.compile(r"\.\. (?:csv|list)-table::(?P<title>.*)")
_HEADER_OPTION: Final = re.compile(r":header:\s*")
_ITEM: Final = re.compile(r"(?P<row>\*\s+)?-(?:\s+(?P<cell>.*)|\Z)")
_BARS: Final = re.compile(r"\|\||!!|[|!]")
_CAPTION: Final = re.compile(r"\\caption\{(?P<text>[^{}]*)")
_LATEX_RULE: Final = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot"
    r"|c(?:line|midrule)(?:\([^()]*\))?\{[^{}]*\})"
)
_LATEX_WRAPPED: Final = re.compile(
    r"\\(?:textbf|textit|emph|text|mathbf|mathrm|num|texttt|bf|it)\{(?P<text>[^{}]*)\}"
    r"|\\multi(?:row\{[^{}]*\}|column\{(?P<spanned>\d{1,2})\})\{[^{}]*\}\{(?P<held>[^{}]*)\}"
)
_LATEX_SIGN: Final = re.compile(r"\\([%#&_$])|\\[,;! ]|\$|~")
_TITLE: Final = "table"
_LONGEST_TITLE: Final = 80
_FEWEST_LINES: Final = 3
"""Lines of a table that is only aligned, its header among them."""


class _Table(NamedTuple):
    """A table: its heading, and its header and rows, each with its line."""

    title: str
    rows: Sequence[Row]
    begins_file: bool = False


def recognises(head: str) -> bool:
    """Tell whether a text has a header with a rule below it, wherever they stand."""
    text = head if head.isascii() else head.translate(_BOX)
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return any(
        (_is_row(header) and _is_rule(rule))
        or (header.startswith("+") and _is_rule(header) and rule.startswith("|"))
        or _SIMPLE_RULE.fullmatch(header)
        or (header.startswith("\\") and _TABULAR.match(header))
        or _ROW_OF_HTML.search(header)
        or _DIRECTIVE.match(header)
        or header.startswith(("|===", "{|"))
        or (header.startswith("||") and header.endswith("||"))
        for header, rule in pairwise(lines)
    )


def recognises_aligned(head: str) -> bool:
    """Tell whether a text has aligned columns of which one is called like a scale."""
    source = Source("", [line.encode() + b"\n" for line in head.splitlines()])
    tables = _Finder(source).tables()
    return any(
        parameter_of(name) or counted_by(name)
        for table in tables
        for (_, row), (_, below), *_ in [table.rows]
        for name in (*row, below[0])
    )


def read(
    source: Source,
    stated: Mapping[str, Sequence[str]],
    *,
    has_coordinate: bool = False,
) -> Iterator[ImportedMeasurement]:
    """Yield what the tables hold; several are told apart by their titles.

    Tables without settings or values, as texts have for other purposes, are passed
    over where another table has them.
    """
    unclear: list[UnclearTable] = []
    readable: list[tuple[str, int, list[ImportedMeasurement]]] = []
    begins = False
    finder = _Finder(source)
    lines = set[int]()
    tables = list(finder.tables())
    for table in tables:
        lines.update(range(table.rows[0][0], table.rows[-1][0] + 1))
    for number, table in enumerate(tables, 1):
        last = table.rows[-1][0]
        below = next((each.rows[0][0] for each in tables[number:]), math.inf)
        remarks = [
            (line, [text, *[""] * (len(table.rows[0][1]) - 1)])
            for line, text in finder.failures
            if last < line < below
        ]
        begins |= table.begins_file
        place = Source(source.name, ())
        place.origin = source.origin
        try:
            # In a text a table that says no setting is one of something else.
            brought = has_coordinate and table.begins_file
            held = separated.read_rows(
                place,
                [*table.rows, *remarks],
                stated,
                has_coordinate=brought,
                title=table.title,
            )
            readable.append((table.title or str(number), last, [*held]))
            source.notes += place.notes
            source.tables += place.tables
        except UnclearTable as error:
            unclear.append(error)
    if unclear and not readable:
        first = unclear[0]
        evidence = first.source, first.place, first.expected, first.actual
        raise UnclearTable(*evidence, is_in_text=not begins)
    source.notes += (
        f"the table of {each.place} is passed over: expected {each.expected}"
        for each in unclear
    )
    source.aborts = [
        sign for sign in source.aborts if finder.is_below_table(sign[0], lines)
    ]
    for title, last, measurements in readable:
        source.line = last  # a sign of an end by error below is about this table
        named = ((_TITLE, title),) if len(readable) > 1 else ()
        for measurement in measurements:
            subject = measurement.subject
            configuration = (*subject.configuration, *named)
            yield measurement._replace(
                subject=subject._replace(configuration=configuration)
            )


class _Finder:
    """Lines of a text that may be of a table, and the title above them."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.title, self.before, self.has_text = "", "", False
        self.bars: list[tuple[int, str]] = []
        self.plain: list[tuple[int, str]] = []
        self.simple: list[tuple[int, str]] = []
        self.latex: list[tuple[int, str]] | None = None
        self.html: list[tuple[int, str]] = []
        self.directive: list[tuple[int, str]] = []
        self.cells: list[tuple[int, str]] = []
        self.end_of_cells = ""
        self.headings: list[int] = []
        self.failures: list[tuple[int, str]] = []

    def tables(self) -> Iterator[_Table]:
        """Yield the tables among whatever else the text has."""
        for line in self.source:
            drawn = line if line.isascii() else line.translate(_BOX)
            row = drawn.strip()
            if self.end_of_cells or row.startswith(("|===", "{|")):
                yield from self.take_cells(row)
            elif row.startswith("||") and row.endswith("||"):
                yield from self.end()
                yield from self.take(row.replace("||", "|"))
                yield from self.take("|---|")
            else:
                yield from self.take(drawn.rstrip())
        yield from self.end()

    def is_below_table(self, line: int, of_tables: Collection[int]) -> bool:
        """Tell whether a line stands below a table, and no heading between both."""
        above = max((at for at in of_tables if at < line), default=None)
        return (
            line not in of_tables
            and above is not None
            and not any(above < heading < line for heading in self.headings)
        )

    def take(self, line: str) -> Iterator[_Table]:
        """Take a line, and yield the tables that end before it."""
        row = line.strip()
        if self.directive and (not row or line[0].isspace()):
            self.directive.append((self.source.line, line))
        elif directive := _DIRECTIVE.match(row):
            yield from self.end()
            self.title = _titled(directive["title"].strip()) or self.title
            self.directive.append((self.source.line, row))
        elif self.directive:
            yield from self.end()
            yield from self.take(line)
        elif self.html or _TABLE.search(row):
            yield from self.take_html(row)
        elif self.latex is not None or _TABULAR.match(row):
            yield from self.take_latex(row)
        elif self.simple or _SIMPLE_RULE.fullmatch(row):
            yield from self.take_simple(line)
        elif row and (
            _is_row(row) or (_is_rule(row) and (self.bars or row[0] in "|+"))
        ):
            if row.startswith("|") and (not row.endswith(("|", "+")) or len(row) == 1):
                raise self.source.malformed("a row that ends with '|'", "none")
            self.bars.append((self.source.line, row))
        elif row and (_GAP.search(row) or (self.plain and _DASHES.fullmatch(row))):
            yield from self.ended_bars()
            self.plain.append((self.source.line, line.rstrip()))
        else:
            yield from self.end()
            self.take_text(row)

    def take_text(self, row: str) -> None:
        """Take a line that is of no table, which may be the title of the next."""
        self.has_text |= bool(row) and not row.endswith(":")
        mark = separated.FOOTNOTE.match(row)
        if mark and judge_value(row[mark.end() :]):
            self.failures.append((self.source.line, row))
        heading = _HEADING.fullmatch(row) or _BOLD.fullmatch(row)
        if title := heading or _CAPTION.search(row) or _TITLE_TAG.search(row):
            self.title = _titled(title["text"])
            self.headings.append(self.source.line)
        elif row.endswith(":"):
            self.title = _titled(row.rstrip(":"))
        elif _UNDERLINE.fullmatch(row) and self.before:
            self.title = _titled(self.before)
            self.headings.append(self.source.line)
        self.before = row

    def take_cells(self, row: str) -> Iterator[_Table]:
        """Take a line of a table of AsciiDoc or MediaWiki."""
        if not self.end_of_cells:
            yield from self.end()
            self.end_of_cells = "|===" if row.startswith("|=") else "|}"
            if self.before.startswith("."):
                self.title = _titled(self.before[1:])
        elif row == self.end_of_cells:
            lines, self.cells, self.end_of_cells = self.cells, [], ""
            yield from self.ended(_rows_of_cells(lines))
        elif row.startswith("|+"):
            self.title = _titled(row[2:].strip())
        else:
            self.cells.append((self.source.line, row))

    def take_latex(self, row: str) -> Iterator[_Table]:
        """Take a line of a table of LaTeX."""
        if self.latex is None:
            yield from self.end()
            self.latex = []
        elif _END_TABULAR.search(row):
            lines, self.latex = self.latex, None
            yield from self.ended(_latex_rows(lines))
        else:
            self.latex.append((self.source.line, row))

    def take_html(self, row: str) -> Iterator[_Table]:
        """Take a line of a table of HTML."""
        if not self.html:
            yield from self.end()
        self.html.append((self.source.line, row))
        if caption := _TITLE_TAG.search(row):
            self.title = _titled(caption["text"])
        if _END_TABLE.search(row):
            lines, self.html = self.html, []
            yield from self.ended(html.rows_of(lines))

    def take_simple(self, line: str) -> Iterator[_Table]:
        """Take a line of a table between rules of signs of equality."""
        is_rule = _SIMPLE_RULE.fullmatch(line.strip()) is not None
        rules = sum(
            _SIMPLE_RULE.fullmatch(text.strip()) is not None for _, text in self.simple
        )
        if not self.simple:
            yield from self.end()
        self.simple.append((self.source.line, line))
        if is_rule and rules == 2:
            lines, self.simple = self.simple, []
            yield from self.ended(_simple_rows(lines))
        elif not line.strip() and rules < 2:
            self.simple = []

    def ended_bars(self) -> Iterator[_Table]:
        """Yield the tables between bars."""
        block, self.bars = self.bars, []
        for table in _tables_of(block, self.title):
            yield table._replace(begins_file=not self.has_text)
            self.title, self.has_text = "", True

    def end(self) -> Iterator[_Table]:
        """Yield the tables that end here."""
        yield from self.ended_bars()
        directive, self.directive = self.directive, []
        yield from self.ended(_directive_rows(directive))
        lines, self.plain = self.plain, []
        yield from self.ended(_aligned_rows(lines))
        if lines:
            self.has_text = True

    def ended(self, rows: Sequence[Row]) -> Iterator[_Table]:
        """Yield a table of rows, if they are one."""
        if len(rows) > 1:
            yield _Table(self.title, rows, begins_file=not self.has_text)
            self.title, self.has_text = "", True


def _titled(text: str) -> str:
    return _EMPHASIS.sub("", text).rstrip(" #=")[:_LONGEST_TITLE]


def _latex_rows(
    lines: Sequence[tuple[int, str]],
) -> Sequence[Row]:
    r"""Return the rows of a `tabular`, of which each ends with `\\`."""
    rows, text = list[Row](), ""
    for number, line in lines:
        text += " " + _LATEX_RULE.sub("", line.partition(" %")[0])
        *ended, text = text.split("\\\\")
        for row in ended:
            plain = _unwrapped(_unwrapped(row))
            plain = plain.replace("\\times", "×").replace("\\&", "and")
            cells = [_LATEX_SIGN.sub(r"\1", cell).strip() for cell in plain.split("&")]
            if any(cells) and (not rows or len(cells) == len(rows[0][1])):
                rows.append((number, cells))
    return rows


def _unwrapped(row: str) -> str:
    """Return a row without commands around texts; who spans columns leaves them."""
    return _LATEX_WRAPPED.sub(
        lambda match: (
            (match["text"] or match["held"] or "")
            + " &" * (int(match["spanned"] or 1) - 1)
        ),
        row,
    )


def _rows_of_cells(lines: Sequence[tuple[int, str]]) -> Sequence[Row]:
    """Return the rows of cells that a bar begins, as many a row as the header has."""
    header, cells = list[str](), list[tuple[int, str]]()
    first = 0
    for number, row in lines:
        if not row or row.startswith("|-") or row[0] not in "|!":
            continue
        texts = [each.strip() for each in _BARS.split(row[1:])]
        if not header or (row[0] == "!" and not cells):
            header += texts
            first = number
        else:
            cells += [(number, text) for text in texts]
    width = len(header)
    return [
        (first, header),
        *(
            (cells[at][0], [text for _, text in cells[at : at + width]])
            for at in range(0, len(cells), width)
        ),
    ]


def _simple_rows(
    lines: Sequence[tuple[int, str]],
) -> Sequence[Row]:
    """Return the rows of a table of reStructuredText, cut where its rules are."""
    rule = lines[0][1]
    starts = [match.start() for match in _SIGNS.finditer(rule)]
    ends = [*starts[1:], None]
    return [
        (
            number,
            [
                line[first:last].strip()
                for first, last in zip(starts, ends, strict=True)
            ],
        )
        for number, line in lines
        if line.strip() and not _SIMPLE_RULE.fullmatch(line.strip())
    ]


def _directive_rows(lines: Sequence[tuple[int, str]]) -> Sequence[Row]:
    """Return the rows of a `csv-table` or `list-table` of reStructuredText."""
    rows: list[Row] = []
    is_list = bool(lines) and "list-table" in lines[0][1]
    for number, line in lines[1:]:
        text = line.strip()
        header = _HEADER_OPTION.match(text)
        if not is_list and text and (header or not text.startswith(":")):
            cells = next(csv.reader([text[header.end() :] if header else text]), [])
            rows.append((number, [cell.strip(' "') for cell in cells]))
        elif is_list and (item := _ITEM.match(text)):
            if item["row"]:
                rows.append((number, []))
            if rows:
                rows[-1][1].append(item["cell"] or "")
    return rows


def _aligned_rows(
    lines: Sequence[tuple[int, str]],
) -> Sequence[Row]:
    """Return the first rows of equally many cells below a header.

    A name behind the end of all rows is a remark, and none of a column; the first
    column needs no name. Numbers are names where the first one is that of their scale.
    """
    rows = [
        (number, line, _GAP.split(line.strip()))
        for number, line in lines
        if not _DASHES.fullmatch(line.strip())
    ]
    for first in range(len(rows) - 1):
        (at, text, header), body = rows[first], rows[first + 1 :]
        is_scale = bool(scale_of(header[0])) and all(map(read_label, header[1:]))
        width = len(body[0][2])
        widths = [len(row[2]) == width for row in body]
        alike = body[: widths.index(False) if False in widths else None]
        end = max(len(line) for _, line, _ in alike)
        if len(header) == width - 1 and all(map(counted_by, header)):
            header = ["", *header]  # settings above all but the names of the rows
        if len(header) == width + 1 and text.rfind(header[-1]) >= end:
            header = header[:-1]
        elif len(header) == width - 1 and text[:1] == " " != body[0][1][:1]:
            header = ["", *header]
        if (
            (len(alike) >= _FEWEST_LINES - 1 or is_scale)
            and len(header) == width
            and (is_scale or not any(map(_is_number, header)))
            and all(
                any(read_label(cell) is not None for cell in row[2]) for row in alike
            )
        ):
            return [(at, header), *((number, cells) for number, _, cells in alike)]
    return []


def _is_number(cell: str) -> bool:
    return read_cell(cell).number is not None


def _tables_of(block: Sequence[tuple[int, str]], title: str) -> Iterator[_Table]:
    """Yield the tables of lines that follow each other.

    A row above a rule is a header, unless it has numbers and others stand above it:
    then the rule only divides rows, as in grids.
    """
    rows: list[Row] = []
    is_open = False
    above: list[list[str]] = []
    for at, (line, text) in enumerate(block):
        if _is_rule(text):
            above = [] if text.startswith("+") else above
            continue
        cells = _cells(text)
        if not is_open and block[0][1].startswith("+"):
            above.append(cells)  # lines of one header, as grids have it
            cells = [" ".join(filter(None, names)) for names in zip_longest(*above)]
        is_above_rule = at + 1 < len(block) and _is_rule(block[at + 1][1])
        has_numbers = any(map(_is_number, cells))
        if is_above_rule and not (is_open and has_numbers):
            if len(rows) > 1:
                yield _Table(title, rows)
                title = ""
            rows, is_open = [(line, [_EMPHASIS.sub("", cell) for cell in cells])], True
        elif is_open:
            rows.append((line, cells))
    if len(rows) > 1:
        yield _Table(title, rows)


def _is_rule(row: str) -> bool:
    has_bars = row[:1] in {"|", "+"} and row[-1] in {"|", "+"}
    is_drawn = has_bars and _RULE.issuperset(row) and not {"-", "="}.isdisjoint(row)
    is_plain = len(row) > _SHORT_RULE and not row.strip("-=")
    return is_drawn or is_plain or _OLD_RULE.fullmatch(row) is not None


def _is_row(row: str) -> bool:
    return "|" in row and not _is_rule(row) and not row.startswith("+")


def _cells(row: str) -> list[str]:
    inner = row[1:-1] if row.startswith("|") else row
    cells = (cell.strip(" `") for cell in inner.split("|"))
    # A star at one end only is the mark of a footnote.
    return [
        cell.strip("*` ") if cell[:1] == cell[-1:] == "*" else cell for cell in cells
    ]
