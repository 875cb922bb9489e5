"""The HTML report as a reader has it: opened in Chromium, clicked through, without a network."""

import re
import shutil
import sys

import plot_checks
import pytest
from browser import click, complaints, fetched, opened, wait
from conftest import ROOT, program, run, snakemake
from selenium.webdriver.common.by import By

from fusion import pages, records

TINY = ("--configfile", "tiny.yaml")
# Snakemake's own, of the Tailwind that its report carries: a warning, and nothing is fetched.
TAILWIND = "cdn.tailwindcss.com should not be used in production"
SMALL = {"variants": ["OFF", "PARTIAL", "ON"]}
HOSTILE = """# <script>document.title = "run"</script>

| name | ratio | notes |
|---|---:|---|
| b<img src=x onerror="document.title='run'"> | 1.3853 [1.3766, 1.3855] | 16,384 × 1,024 |
| a | – | words [go](javascript:alert) |
| c | 10.2 (no interval) | 4 × 1,024 |
| d | 0.9000 [0.8, 1.1] | best |

![picture](http://localhost/x.png)
"""


@pytest.fixture(scope="module")
def checkout(make_checkout):
    """A tiny experiment with its figures and pages, and the report of it."""
    folder = make_checkout("report", llvm=SMALL)
    early = snakemake(*TINY, "--report", "report.html", cwd=folder)
    ran = snakemake(*TINY, "--cores", "2", "--", "pages", "figures", cwd=folder)
    assert ran.returncode == 0, ran.stdout
    made = report(folder, *TINY)
    return folder, early, made


def report(folder, *words):
    """The report, as the README makes it."""
    done = snakemake_alone(*words, "--report", "report.html", cwd=folder)
    assert done.returncode == 0 and "Report created" in done.stdout, done.stdout
    text = (folder / "report.html").read_text()
    # React puts these into attributes of what it draws; what loads would be src or a style's href.
    assert not re.search(r"<(script|img|iframe|link)[^>]+(src|href)=.?https?:", text)
    return folder / "report.html"


def snakemake_alone(*words, cwd):
    """Snakemake as a user calls it for a report: without --cores."""
    return run(sys.executable, "-m", "snakemake", *words, cwd=cwd)


def show(driver, *path):
    """From the menu, click on these entries, one after the other."""
    driver.execute_script("app.setView({navbarMode: 'menu'})")
    for word in path:
        click(driver, f"//a[.='{word}']")


def view(driver, label):
    """Click on the eye beside a result's label."""
    click(driver, f'//tr[td[normalize-space()="{label}"]]//a[1]')


def caption(driver, label):
    """Click on the i beside a result's label; what the report then says of it."""
    click(driver, f'(//tr[td[normalize-space()="{label}"]]//a)[2]')
    return wait(driver, lambda d: d.find_elements(By.CSS_SELECTOR, ".prose-invert"))[0].text


def width_of_figure(driver):
    """Of the figure that is shown, in its own pixels."""
    found = wait(driver, lambda d: d.find_elements(By.CSS_SELECTOR, "#app img[src*='image/png']"))
    assert found[0].is_displayed()
    return wait(driver, lambda d: found[0].get_property("naturalWidth"))


def page_of(driver):
    """Go into the page that is shown; its text."""
    driver.switch_to.frame(wait(driver, lambda d: d.find_elements(By.TAG_NAME, "iframe"))[0])
    wait(driver, lambda d: d.find_elements(By.TAG_NAME, "h1"))
    return driver.find_element(By.TAG_NAME, "body").text


def column(table, index):
    cells = table.find_elements(By.CSS_SELECTOR, f"tbody td:nth-child({index})")
    return [cell.text for cell in cells]


def quiet(driver):
    """Neither error nor warning, but the one of Snakemake's own; nothing fetched."""
    found = complaints(driver)
    assert not [line for line in found if TAILWIND not in line]
    assert not fetched(driver)


def test_the_report_is_read_by_clicking(checkout):
    folder, _, path = checkout
    summary = records.read(folder / "results/tiny/llvm/tables/summary.json", "summary")
    with opened(path) as driver:
        first = wait(driver, lambda d: d.find_elements(By.CSS_SELECTOR, "#app .prose"))[0].text
        assert "fuse-or-not: tiny" in first and "Does operator fusion pay" in first
        menu = driver.find_element(By.ID, "app").text
        places = [menu.index(n) for n in ("1 Verdicts", "2 Figures", "3 Evidence", "4 Data")]
        assert places == sorted(places)

        show(driver, "1 Verdicts")
        view(driver, "verdicts")
        assert "This is a CPU, not a GPU" in page_of(driver)
        verdicts = next(t for t in driver.find_elements(By.TAG_NAME, "table") if "reason" in t.text)
        shown = set(zip(column(verdicts, 1), column(verdicts, 2), column(verdicts, 3), strict=True))
        assert shown == {
            (str(case["case"]["sizes"]["depth"]), pair, found["verdict"])
            for case in summary["cases"]
            for pair, found in case["verdicts"].items()
        }
        button = verdicts.find_element(By.CSS_SELECTOR, "th button")
        before = column(verdicts, 1)
        button.click()
        assert column(verdicts, 1) == sorted(before)
        button.click()
        assert column(verdicts, 1) == sorted(before, reverse=True) != before
        driver.switch_to.default_content()
        assert "a verdict for each with its reason" in caption(driver, "verdicts")
        quiet(driver)


def test_figures_show_with_their_captions(checkout):
    with opened(checkout[2]) as driver:
        show(driver, "2 Figures", "1 Over all cases")
        for label, words in (("ratios of latency", "SLOWER begins"), ("latency", "each trial")):
            view(driver, label)
            assert width_of_figure(driver) > 1000
            assert words in caption(driver, label)
            driver.execute_script("app.setView({navbarMode: 'subcategory'})")
        show(driver, "2 Figures", "2 Every sample")
        found = wait(driver, lambda d: d.find_elements(By.CSS_SELECTOR, "#app table"))[0].text
        assert found.count("every sample") == 2
        quiet(driver)


def test_its_data_files_say_what_was_measured(checkout):
    out = checkout[0] / "results/tiny/llvm"
    summary = records.read(out / "tables/summary.json", "summary")
    plot_checks.ratios(plot_checks.read(out / "figures/ratios_by_depth.csv"), summary)
    plot_checks.latency(plot_checks.read(out / "figures/latency_by_depth.csv"), summary)
    for case in summary["cases"]:
        name = case["case"]["name"]
        trials = [records.read(p, "time") for p in (out / "time" / name).glob("*.json")]
        plot_checks.samples(plot_checks.read(out / f"figures/samples/{name}.csv"), trials)


def test_of_an_unfinished_run_snakemake_says_what_is_missing(checkout):
    early = checkout[1]
    assert early.returncode != 0
    assert "marked for report but does not exist" in early.stdout, early.stdout


def test_what_was_only_compiled_has_a_report(make_checkout):
    folder = make_checkout(
        "compiled", device="sm_86", variants=["PARTIAL", "ON"], cases={"depth": [2]}, control="none"
    )
    ran = snakemake(*TINY, "--cores", "2", "--", "pages", cwd=folder)
    assert ran.returncode == 0, ran.stdout
    path = report(folder, *TINY)
    with opened(path) as driver:
        first = wait(driver, lambda d: d.find_elements(By.CSS_SELECTOR, "#app .prose"))[0].text
        assert "timing and verdicts are not run" in first and "Figures" not in first
        show(driver, "Results")  # so called where there is one category
        view(driver, "the compiled code")
        assert "Fallback" in page_of(driver)
        quiet(driver)


def test_published_records_have_a_report_without_a_gpu(make_checkout):
    folder = make_checkout("published")
    kept = "results/published/nvidia-h200/issue-20342"
    shutil.copytree(ROOT / kept, folder / kept)
    words = ("--config", "device=sm_90", "results=results/published/nvidia-h200")
    only = ("--allowed-rules", "plot", "figures", "list_records", "render_pages", "pages")
    ran = snakemake(*words, "-R", "plot", *only, "--", "pages", "figures", cwd=folder)
    assert ran.returncode == 0, ran.stdout
    done = snakemake_alone(
        *words, *only, "--report", "report.html", "--", "pages", "figures", cwd=folder
    )
    assert "Report created" in done.stdout, done.stdout
    with opened(folder / "report.html") as driver:
        show(driver, "3 Evidence")
        view(driver, "where the time goes")
        assert "NVIDIA H200" in page_of(driver)
        driver.switch_to.default_content()
        show(driver, "2 Figures", "1 Over all cases")
        view(driver, "where a call's time goes")
        assert width_of_figure(driver) > 1000
        show(driver, "4 Data")
        found = wait(driver, lambda d: d.find_elements(By.CSS_SELECTOR, "#app table"))[0].text
        assert "a row a case" in found and "a row a trial" in found
        quiet(driver)


def test_names_are_data_and_every_column_sorts(tmp_path):
    (tmp_path / "page.md").write_text(HOSTILE)
    done = program(
        "render_pages.py", "--names", "page", "--markdown", tmp_path / "page.md", "--out", tmp_path
    )
    assert done.returncode == 0, done.stdout
    with opened(tmp_path / "page.html") as driver:
        assert driver.title == '<script>document.title = "run"</script>'
        assert not driver.find_elements(By.CSS_SELECTOR, "img, body script ~ script")
        links = [a.get_attribute("href") for a in driver.find_elements(By.TAG_NAME, "a")]
        assert links == ["http://localhost/x.png"]  # the picture's, to be clicked on
        table = driver.find_element(By.TAG_NAME, "table")
        heads = table.find_elements(By.CSS_SELECTOR, "th button")
        orders = {1: ("abcd", "dcba"), 2: ("dbca", "cbda"), 3: ("cbda", "adbc")}
        for index, (up, down) in orders.items():
            heads[index - 1].click()
            assert "".join(name[0] for name in column(table, 1)) == up
            heads[index - 1].click()
            assert "".join(name[0] for name in column(table, 1)) == down
        assert complaints(driver) == [] and fetched(driver) == []


def test_a_missing_table_is_named(tmp_path):
    done = program(
        "render_pages.py", "--names", "x", "--markdown", tmp_path / "no.md", "--out", tmp_path
    )
    assert done.returncode == 1 and f"no Markdown at {tmp_path / 'no.md'}" in done.stdout
    assert "<h1>" in pages.page("# title")
