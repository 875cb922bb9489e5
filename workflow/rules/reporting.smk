# What the rules of figures and pages ask: how a thing stands in the HTML report.


def in_report(name):
    """A figure as the report shows it: of PNG and SVG the one that needs no font of the reader's."""
    kind, _, case = name.partition("/")
    words = figure_names.WORDS[kind]
    return report(
        f"<results>/figures/{name}.png",
        caption=f"../report/{kind}.rst",
        category="2 Figures",
        subcategory="2 Every sample" if case else "1 Over all cases",
        labels={"case": case, "figure": words} if case else {"figure": words},
    )


def has_page(name):
    tables = PAGES[name][2]
    if KEPT:
        return all(Path(table.replace("<results>", OUT)).is_file() for table in tables) and tables
    return tables and (CAN_BE_RUN or name in COMPILED_PAGES)
