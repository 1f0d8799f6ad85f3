/** Notifications in this browser, by its push service. */
import {
  PushKeyDocument,
  SubscribeWebPushDocument,
  UnsubscribeWebPushDocument,
} from '../../../generated/console.ts';
import { ask } from '../../api/ask.ts';

/**
 * Whether this browser shows notifications; `blocked`: its settings do not let it; `untrusted`: it takes no worker from
 * here, as from a service whose certificate somebody only clicked away.
 */
export type PushState = 'on' | 'off' | 'blocked' | 'unsupported' | 'untrusted';

const worker = '/console/push.js';

declare global {
  interface Window {
    /** Not in every browser. */
    readonly trustedTypes?: {
      createPolicy(
        name: string,
        rules: { createScriptURL: () => string },
      ): { createScriptURL(url: string): string };
    };
  }
}

/** The policy by which the page may name this worker and no other script. */
let policy: { createScriptURL(url: string): string } | undefined;

function workerUrl(): string {
  policy ??= window.trustedTypes?.createPolicy('push-worker', { createScriptURL: () => worker });
  return policy?.createScriptURL(worker) ?? worker;
}

const isPushSupported = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

async function subscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration(worker);
  return (await registration?.pushManager.getSubscription()) ?? null;
}

export async function readPushState(): Promise<PushState> {
  if (!isPushSupported()) return 'unsupported';
  if (Notification.permission === 'denied') return 'blocked';
  return (await subscription()) ? 'on' : 'off';
}

/** Asks the person, and then the browser's push service and this service. */
export async function startPush(): Promise<PushState> {
  if ((await Notification.requestPermission()) !== 'granted') return readPushState();
  const registration = await navigator.serviceWorker.register(workerUrl()).catch(whyUntrusted);
  if (!registration) return 'untrusted';
  const { pushManager } = await ready(registration);
  const { web_push_key } = await ask(PushKeyDocument, {});
  const made = await pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: web_push_key })
    .catch(() => undefined);
  // Some browsers have no push service.
  if (!made) return 'unsupported';
  const { endpoint, keys: { p256dh = '', auth = '' } = {} } = made.toJSON();
  await ask(SubscribeWebPushDocument, { input: { endpoint: endpoint ?? '', p256dh, auth } });
  return 'on';
}

/** @throws whatever else went wrong, such as a lost connection */
function whyUntrusted(error: unknown): undefined {
  if (!(error instanceof DOMException && error.name === 'SecurityError')) throw error;
}

/** A subscription can be made once the worker is active. */
async function ready(registration: ServiceWorkerRegistration): Promise<ServiceWorkerRegistration> {
  const { installing, waiting } = registration;
  const coming = installing ?? waiting;
  if (!coming || registration.active) return registration;
  await new Promise<void>((resolve) => {
    coming.addEventListener('statechange', () => {
      if (coming.state === 'activated') resolve();
    });
  });
  return registration;
}

export async function stopPush(): Promise<PushState> {
  const made = await subscription();
  if (made) {
    await ask(UnsubscribeWebPushDocument, { endpoint: made.endpoint });
    await made.unsubscribe();
  }
  return readPushState();
}
