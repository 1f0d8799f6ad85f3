/** Light, dark, or as the system has it; kept by the browser. */
import { effect, signal } from '@preact/signals';

const kept = 'crm.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

const chosen = signal(localStorage.getItem(kept));
const isSystemDark = signal(dark.matches);

export const isDark = (): boolean =>
  chosen.value === null ? isSystemDark.value : chosen.value === 'dark';

/** Shows the page in its theme from now on. */
export function startTheme(): void {
  dark.addEventListener('change', () => {
    isSystemDark.value = dark.matches;
  });
  effect(() => {
    document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
  });
}

export function toggleTheme(): void {
  chosen.value = isDark() ? 'light' : 'dark';
  localStorage.setItem(kept, chosen.value);
}
