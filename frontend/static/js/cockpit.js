/**
 * Cockpit: a click on a commit of the history lays its curve, in grey, under the present
 * one. Only the plot and the choice beside it change; the address keeps the commit.
 */

import { showFigureOf } from "./figure.js";

const form = document.querySelector("form[data-under]");

/** Show what the page at an address shows, without leaving this one. */
async function lay(address) {
  const response = await fetch(address);
  if (!response.ok) {
    location.assign(address); // the page says what is wrong
    return;
  }
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const [choice, chosen] = [document, page].map((each) => each.getElementById("under"));
  choice.replaceChildren(...chosen.children);
  history.replaceState(history.state, "", address);
  await showFigureOf(page);
}

if (form) {
  document.addEventListener("pointopen", (event) => {
    event.preventDefault();
    lay(event.detail.address);
  });
}
