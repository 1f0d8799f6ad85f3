/** Where pages were scrolled to, so that Back leads to the very place. */

/** How far an element is scrolled, in pixels. */
interface Place {
  readonly left: number;
  readonly top: number;
}

/** Milliseconds for which a page that comes back may take to have its place again. */
const patienceMs = 3000;

/** Pages whose places are remembered. */
const max = 50;

/** By the address of a page, and within it by the element's `data-place`; that of the page itself is ''. */
const places = new Map<string, Map<string, Place>>();

const address = (): string => location.pathname + location.search;

interface Restoring {
  readonly address: string;
  readonly places: ReadonlyMap<string, Place>;
  /** When it is given up, by `performance.now()`. */
  readonly end: number;
}

let restoring: Restoring | undefined;

/** The address that somebody came back to, until a link leads elsewhere. */
let back: string | undefined;

/** Whether the page that is shown was come back to. */
export const isBack = (): boolean => back === address();

/** Begins to remember. */
export function startScrollPlaces(): void {
  history.scrollRestoration = 'manual';
  addEventListener('scroll', ({ target }) => note(target), { capture: true, passive: true });
  addEventListener('popstate', () => {
    back = address();
    const own = places.get(back);
    restoring = own && {
      address: back,
      places: new Map(own),
      end: performance.now() + patienceMs,
    };
    // Now the page that was left is still shown.
    requestAnimationFrame(restore);
  });
  // The router's own event.
  addEventListener('pushState', () => {
    back = undefined;
  });
  // Who scrolls meanwhile wants to be elsewhere.
  for (const event of ['wheel', 'touchstart', 'keydown']) {
    addEventListener(
      event,
      () => {
        restoring = undefined;
      },
      { passive: true },
    );
  }
}

/** Tries until everything is where it was: a page grows as its answers come. */
function restore(): void {
  if (restoring?.address !== address() || performance.now() > restoring.end) {
    restoring = undefined;
    return;
  }
  const isThere = [...restoring.places].map(([name, place]) => put(name, place)).every(Boolean);
  if (isThere) restoring = undefined;
  else requestAnimationFrame(restore);
}

function note(target: EventTarget | null): void {
  if (restoring?.address === address()) return;
  const own = places.get(address()) ?? new Map<string, Place>();
  if (target instanceof HTMLElement && target.dataset.place !== undefined) {
    own.set(target.dataset.place, { left: target.scrollLeft, top: target.scrollTop });
  } else if (target === document) own.set('', { left: scrollX, top: scrollY });
  else return;
  places.delete(address());
  places.set(address(), own);
  const [oldest] = places.keys();
  if (places.size > max && oldest !== undefined) places.delete(oldest);
}

/** @returns whether it is there: the page may still be too short */
function put(name: string, { left, top }: Place): boolean {
  if (name === '') {
    scrollTo(left, top);
    return Math.abs(scrollY - top) < 2;
  }
  const element = document.querySelector<HTMLElement>(`[data-place="${CSS.escape(name)}"]`);
  element?.scrollTo(left, top);
  return (
    element !== null &&
    Math.abs(element.scrollTop - top) < 2 &&
    Math.abs(element.scrollLeft - left) < 2
  );
}
