/**
 * Keys: <a data-key="["> is followed when its key is pressed, unless somebody types.
 */

export function isTyping(target) {
  return target.matches("input, select, textarea, [contenteditable]");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) {
    return;
  }
  document.querySelector(`a[data-key="${CSS.escape(event.key)}"]`)?.click();
});
