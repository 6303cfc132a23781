/** Copy: <button data-copy="<id>" hidden> copies the text of the element with that id. */

for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) {
    continue; // offered to secure pages only
  }
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
}
