"""A headless Chromium without a network: what a page shows, asks for and complains of."""

import contextlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    StaleElementReferenceException,
)
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

LOCAL = ("file:", "data:", "blob:", "about:", "chrome:")


@contextlib.contextmanager
def opened(path: Path) -> Iterator[webdriver.Chrome]:
    """The driver, at the page; Debian's chromium and chromium-driver must be installed."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(word)
    options.add_argument("--window-size=1500,950")
    options.add_argument("--host-resolver-rules=MAP * ~NOTFOUND")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options, service)
    try:
        driver.get(path.resolve().as_uri())
        yield driver
    finally:
        driver.quit()


def wait(driver: webdriver.Chrome, found):
    """The first true value of found(driver) within ten seconds."""
    # React may draw an element anew, or another above it, before it is used.
    again = [StaleElementReferenceException, ElementClickInterceptedException]
    return WebDriverWait(driver, 10, ignored_exceptions=again).until(found)


def click(driver: webdriver.Chrome, xpath: str) -> None:
    """Click on the first such element, once it is there."""
    wait(driver, lambda d: [found.click() for found in d.find_elements(By.XPATH, xpath)[:1]])


def complaints(driver: webdriver.Chrome) -> list[str]:
    """What the console has said since the last time, but for notes."""
    return [line["message"] for line in driver.get_log("browser") if line["level"] != "INFO"]


def fetched(driver: webdriver.Chrome) -> list[str]:
    """The addresses beyond this machine that were asked for since the last time."""
    events = [json.loads(line["message"])["message"] for line in driver.get_log("performance")]
    asked = [e["params"]["request"]["url"] for e in events if e["method"].endswith("BeSent")]
    return [address for address in asked if not address.startswith(LOCAL)]
