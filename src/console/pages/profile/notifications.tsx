import { useEffect, useState } from 'preact/hooks';
import { isAdmin } from '../../api/who.ts';
import { Button } from '../../components/button.tsx';
import { attempt } from '../../components/toast.tsx';
import { words } from '../../words/words.ts';
import { type PushState, readPushState, startPush, stopPush } from './push.ts';

/** Whether this browser shows what falls due. */
export function Notifications({ isWanted }: { readonly isWanted: boolean }) {
  const { profile: texts } = words.value;
  const [state, setState] = useState<PushState>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => void readPushState().then(setState), []);
  const change = async (doing: () => Promise<PushState>) => {
    setBusy(true);
    await attempt(async () => setState(await doing()));
    setBusy(false);
  };
  return (
    <section class="card">
      <h2>{texts.notifications}</h2>
      <p>{texts.aboutNotifications}</p>
      {!isWanted && <p>{isAdmin.value ? texts.notifyAbove : texts.notNotified}</p>}
      {state === 'unsupported' && <p>{texts.noNotifications}</p>}
      {state === 'blocked' && <p>{texts.blockedNotifications}</p>}
      {state === 'untrusted' && <p role="alert">{texts.untrustedNotifications}</p>}
      {state === 'off' && (
        <Button isBusy={isBusy} onClick={() => change(startPush)}>
          {texts.notify}
        </Button>
      )}
      {state === 'on' && (
        <Button isBusy={isBusy} onClick={() => change(stopPush)}>
          {texts.stopNotifying}
        </Button>
      )}
    </section>
  );
}
