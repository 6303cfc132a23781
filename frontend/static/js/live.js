/**
 * Live: <body data-live-events="<url>"> listens to what happens on the server. When
 * something does, the page is fetched again and every element with a data-live="<name>"
 * takes over the content of its namesake; nothing else moves. What has no namesake, such
 * as a row that is new, is offered by the notice [data-live-notice] instead.
 */

const PAUSE = 1500; // milliseconds: many runs at once are one change

const url = document.body.dataset.liveEvents;
const notice = document.querySelector("[data-live-notice]");
let timer;

function names(root) {
  return new Map([...root.querySelectorAll("[data-live]")].map((each) => [each.dataset.live, each]));
}

/** Bring elements up to date in place; return whether the page holds more than that. */
export function takeOver(current, fresh) {
  const known = names(current);
  let isMore = false;
  for (const [name, element] of names(fresh)) {
    const own = known.get(name);
    if (!own) {
      isMore = true;
    } else if (own.innerHTML !== element.innerHTML && !own.contains(document.activeElement)) {
      own.innerHTML = element.innerHTML;
      own.classList.add("is-fresh");
      setTimeout(() => own.classList.remove("is-fresh"), 3000);
    }
  }
  return isMore;
}

async function refresh() {
  const response = await fetch(location.href, { headers: { "Cache-Control": "no-cache" } });
  if (!response.ok) {
    return;
  }
  const text = await response.text();
  const fresh = new DOMParser().parseFromString(text, "text/html");
  if (takeOver(document, fresh)) {
    notice.hidden = false;
  }
}

function listen() {
  const events = new EventSource(url);
  events.addEventListener("news", () => {
    clearTimeout(timer);
    timer = setTimeout(refresh, PAUSE);
  });
  addEventListener("pagehide", () => events.close(), { once: true });
}

if (url && notice) {
  listen();
  addEventListener("pageshow", (event) => event.persisted && listen());
}
