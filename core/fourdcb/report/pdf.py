"""A page as PDF."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from fourdcb.errors import MissingDependencyError, UserError


def pdf_bytes(page: str) -> bytes:
    """An HTML page as a PDF file (A4), in the bundled faces.

    Raises:
        MissingDependencyError: weasyprint is not installed.
        UserError: its system libraries are missing.
    """
    try:
        from weasyprint import CSS, HTML
        from weasyprint.text.fonts import FontConfiguration
    except ImportError as error:
        raise MissingDependencyError("weasyprint", extra="report", purpose="writing PDF") from error
    except OSError as error:
        raise UserError(
            "writing PDF needs the system library Pango",
            got=str(error).splitlines()[0],
            hint="on Debian or Ubuntu: apt-get install libpango-1.0-0 libpangoft2-1.0-0",
        ) from error
    fonts = resources.files("fourdcb_resources").joinpath("fonts")
    with resources.as_file(fonts) as folder:
        fonts_used = FontConfiguration()
        faces = CSS(string=_font_faces(folder), font_config=fonts_used)
        document = HTML(string=page, base_url=str(folder))
        data: bytes = document.write_pdf(stylesheets=[faces], font_config=fonts_used)
    return data


def _font_faces(folder: Path) -> str:
    weights = {"Regular": 400, "Medium": 500, "SemiBold": 600, "Bold": 700}
    families = {"Inter": "Inter", "JetBrainsMono": "JetBrains Mono"}
    rules = []
    for file in sorted(folder.glob("*.ttf")):
        stem, style = file.stem.split("-")
        rules.append(
            f"@font-face {{ font-family: '{families[stem]}'; font-weight: {weights[style]}; "
            f"src: url('{file.as_uri()}'); }}"
        )
    return "\n".join(rules)
