import { render } from 'preact';
import { readSession } from './api/session.ts';
import { App } from './app.tsx';
import { startScrollPlaces } from './components/scroll_places.ts';
import { startTheme } from './layout/theme.ts';
import { languageFor, speak } from './words/words.ts';

const root = document.getElementById('root');

startTheme();
startScrollPlaces();
// Where the service cannot be asked, the sign-in page says so.
await Promise.all([speak(languageFor(navigator.languages)), readSession().catch(() => {})]);
if (root) {
  root.textContent = '';
  render(<App />, root);
}
