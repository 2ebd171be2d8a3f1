"""The lids of folded cells say what is under them."""

import doctest

import pytest
from docutils import nodes
from docutils.utils import new_document

import site_prompts


def test_examples():
    assert doctest.testmod(site_prompts).failed == 0


def folded(source: str, *outputs: nodes.Node) -> nodes.container:
    cell = nodes.container("", nb_element="cell_code", hide_mode="input", prompt_show="Show code cell {type}",
                           prompt_hide="Hide code cell {type}")
    cell.extend([nodes.literal_block(source, source), *outputs])
    return cell


@pytest.mark.parametrize("outputs, lid", [
    ([], "the code of a"), ([nodes.image(uri="a.png")], "the code of the figure"),
    ([nodes.table()], "the code of the table"),
    ([nodes.raw("", "<div><table></table></div>", format="html")], "the code of the table")])
def test_a_lid_says_what_a_reader_sees(outputs, lid):
    page = new_document("page")
    page += folded("a = 1", *outputs)
    site_prompts.label_folded_cells(None, page)
    assert (page[0]["prompt_show"], page[0]["prompt_hide"]) == (f"Show {lid}", f"Hide {lid}")


def test_open_cells_have_no_lid():
    page, cell = new_document("page"), folded("a = 1")
    cell["hide_mode"] = ""
    page += cell
    site_prompts.label_folded_cells(None, page)
    assert cell["prompt_show"] == "Show code cell {type}"
