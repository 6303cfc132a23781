/**
 * Live: <body data-live-events="<url>" data-live-subject="<sha>"> listens to what
 * happens on the server. When something does, the page is fetched again and every
 * element with a data-live="<name>" takes over the content of its namesake; nothing
 * else moves. What would move the page is offered by the notice [data-live-notice]
 * instead: a row that has no namesake, another text in a [data-live-offer="<name>"],
 * and all of a page that is about another subject by now, such as a newer commit.
 * The URL says what the page knows: the server tells what has happened since, too.
 */

const PAUSE = 1500; // milliseconds: many runs at once are one change
const AGAIN = 10000; // milliseconds until a server that refused is asked again

let url = document.body.dataset.liveEvents;
const notice = document.querySelector("[data-live-notice]");
let events;
let timer;

function named(root, attribute) {
  const found = [...root.querySelectorAll(`[data-${attribute}]`)];
  return new Map(found.map((each) => [each.getAttribute(`data-${attribute}`), each]));
}

/** Bring elements up to date in place; return whether the page holds more than that. */
export function takeOver(current, fresh) {
  const known = named(current, "live");
  let isMore = false;
  for (const [name, element] of named(fresh, "live")) {
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

/** Tell whether what a page only offers reads differently by now. */
export function offersMore(current, fresh) {
  const known = named(current, "live-offer");
  return [...named(fresh, "live-offer")].some(
    ([name, element]) => !known.has(name) || read(known.get(name)) !== read(element),
  );
}

/** Return the text of an element, but for what passes by itself or is drawn here. */
function read(element) {
  const copy = element.cloneNode(true);
  copy.querySelectorAll("time, form, noscript, figure, [data-filter-nothing]").forEach((each) => each.remove());
  return copy.textContent.replace(/\s+/g, " ").trim();
}

function isOfAnother(fresh) {
  return fresh.body.dataset.liveSubject !== document.body.dataset.liveSubject;
}

async function refresh() {
  const response = await fetch(location.href, { headers: { "Cache-Control": "no-cache" } });
  if (!response.ok) {
    return;
  }
  const text = await response.text();
  const fresh = new DOMParser().parseFromString(text, "text/html");
  url = fresh.body.dataset.liveEvents ?? url;
  if (isOfAnother(fresh) || takeOver(document, fresh) || offersMore(document, fresh)) {
    notice.hidden = false;
  }
}

/** Look soon; what happens until then is seen by the same look. */
function lookSoon() {
  timer ??= setTimeout(() => {
    timer = undefined;
    refresh();
  }, PAUSE);
}

/** Listen while somebody looks: a browser opens few connections to one server. */
function listen() {
  if (events || document.hidden) {
    return;
  }
  events = new EventSource(url);
  events.addEventListener("news", lookSoon);
  events.addEventListener("error", () => {
    if (events?.readyState === EventSource.CLOSED) {
      rest();
      setTimeout(listenAgain, AGAIN);
    }
  });
}

function rest() {
  events?.close();
  events = undefined;
}

function listenAgain() {
  if (!events && !document.hidden) {
    lookSoon();
    listen();
  }
}

if (url && notice) {
  listen();
  document.addEventListener("visibilitychange", () => (document.hidden ? rest() : listenAgain()));
  addEventListener("pagehide", rest);
  addEventListener("pageshow", (event) => event.persisted && listenAgain());
}
