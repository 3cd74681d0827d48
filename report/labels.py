"""Words as labels of a figure: short enough, and only characters that the fonts at hand can draw."""

from functools import cache

from matplotlib import font_manager

_LONGEST = 16
_NO_GLYPH = "\N{WHITE VERTICAL RECTANGLE}"

# Fonts that hold what matplotlib's own font lacks, by the systems that bring them.
_FALLBACKS = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "WenQuanYi Zen Hei", "Microsoft YaHei", "PingFang SC", "Arial Unicode MS",
    "Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Emoji", "Segoe UI Emoji",
)  # fmt: skip


def label(word: str) -> str:
    """Returns a word for an axis: at most 16 characters, each of which has a glyph."""
    shortened = word if len(word) <= _LONGEST else word[: _LONGEST - 1] + "…"
    plain = shortened.isascii() and shortened.isprintable()  # the usual case, for which no font need be opened
    return shortened if plain else "".join(_drawable(character) for character in shortened)


@cache
def font_families() -> tuple[str, ...]:
    """The installed families to draw labels with, matplotlib's own first."""
    installed = {font.name for font in font_manager.fontManager.ttflist}
    return ("DejaVu Sans", *(family for family in _FALLBACKS if family in installed))


@cache
def _glyphs() -> frozenset[int]:
    """The code points that the fonts at hand can draw."""
    files = [font_manager.findfont(family) for family in font_families()]
    return frozenset().union(*(font_manager.get_font(file).get_charmap() for file in files))


def _drawable(character: str) -> str:
    return character if ord(character) in _glyphs() and character.isprintable() else _NO_GLYPH
