"""Makes PDF and Office files of texts: reads a list of {"file", "title", "text", "named"} as JSON from standard input.

"named" says whether the file's own properties hold the title; many documents of real life have none.
"""

import json
import sys

from docx import Document
from openpyxl import Workbook
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate
from xml.sax.saxutils import escape


def lines(text):
    """Headings and paragraphs of CommonMark, code left out."""
    fenced = False
    block = []
    for line in text.split("\n") + [""]:
        if line.startswith("```"):
            fenced = not fenced
            continue
        if fenced:
            continue
        if line.startswith("#"):
            yield "heading", line.lstrip("#").strip().replace("`", "")
        elif line.strip():
            block.append(line.strip().replace("`", "").replace("**", ""))
        elif block:
            yield "text", " ".join(block)
            block = []


def pdf(one):
    styles = getSampleStyleSheet()
    story = [Paragraph(escape(one["title"]), styles["Title"])]
    for kind, words in lines(one["text"]):
        story.append(Paragraph(escape(words), styles["Heading2" if kind == "heading" else "BodyText"]))
    SimpleDocTemplate(one["file"], title=one["title"] if one["named"] else None).build(story)


def docx(one):
    document = Document()
    document.core_properties.title = one["title"] if one["named"] else ""
    document.add_heading(one["title"], level=1)
    for kind, words in lines(one["text"]):
        document.add_heading(words, level=2) if kind == "heading" else document.add_paragraph(words)
    document.save(one["file"])


def xlsx(one):
    book = Workbook()
    book.properties.title = one["title"] if one["named"] else None
    sheet = book.active
    sheet.title = one["title"][:31]
    sheet.append(["Part", "What it says"])
    heading = one["title"]
    for kind, words in lines(one["text"]):
        if kind == "heading":
            heading = words
        else:
            sheet.append([heading, words])
    book.save(one["file"])


for item in json.load(sys.stdin):
    {"pdf": pdf, "docx": docx, "xlsx": xlsx}[item["file"].rsplit(".", 1)[1]](item)
