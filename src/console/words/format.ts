/** Dates and figures, as the browser's region writes them, in the account's time zone. */
import { computed } from '@preact/signals';
import { who } from '../api/who.ts';
import { language, languageFor } from './words.ts';

/** The browser's own tag, such as `en-GB`, where it is of the language in use. */
const locale = computed(
  () => navigator.languages.find((tag) => languageFor([tag]) === language.value) ?? language.value,
);

export const timeZone = computed(() => who.value?.account.time_zone ?? 'UTC');

const formats = computed(() => {
  const dates = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale.value, { timeZone: timeZone.value, ...options });
  // Without one an amount is what the account makes of it.
  const currency = who.value?.account.currency;
  return {
    day: dates({ dateStyle: 'medium' }),
    moment: dates({ dateStyle: 'medium', timeStyle: 'short' }),
    month: dates({ month: 'long', year: 'numeric' }),
    monthAlone: dates({ month: 'short' }),
    ago: new Intl.RelativeTimeFormat(locale.value, { numeric: 'auto' }),
    number: new Intl.NumberFormat(locale.value),
    money: new Intl.NumberFormat(locale.value, {
      ...(currency && { style: 'currency', currency }),
      minimumFractionDigits: 2,
      maximumFractionDigits: 2,
    }),
    shortMoney: new Intl.NumberFormat(locale.value, {
      ...(currency && { style: 'currency', currency }),
      notation: 'compact',
      maximumFractionDigits: 1,
    }),
    percent: new Intl.NumberFormat(locale.value, { style: 'percent', maximumFractionDigits: 1 }),
  };
});

/** @param moment ISO 8601 */
export const formatDay = (moment: string): string => formats.value.day.format(new Date(moment));

/** @param moment ISO 8601 */
export const formatMoment = (moment: string): string =>
  formats.value.moment.format(new Date(moment));

/** The middle of a month, which is within it in every time zone. */
const middleOf = (month: string): Date => new Date(`${month}-15T12:00Z`);

/** @param month such as `2026-03` */
export const formatMonth = (month: string): string => formats.value.month.format(middleOf(month));

/** The same without its year, and short. */
export const formatMonthAlone = (month: string): string =>
  formats.value.monthAlone.format(middleOf(month));

export const formatNumber = (value: number): string => formats.value.number.format(value);

/** @param cents such as 123456 */
export const formatMoney = (cents: number): string => formats.value.money.format(cents / 100);

/**
 * The same, shortened from ten million on, as where a figure stands alone.
 * @param cents such as 123456
 */
export const formatMoneyShort = (cents: number): string =>
  Math.abs(cents) < 1_000_000_000
    ? formatMoney(cents)
    : formats.value.shortMoney.format(cents / 100);

/** @param days with a decimal; a dash when nothing is known */
export const formatDays = (days: number | null | undefined): string =>
  typeof days === 'number' ? formatNumber(Math.round(days * 10) / 10) : '–';

/** @param share from 0 to 1 */
export const formatPercent = (share: number): string => formats.value.percent.format(share);

const spans: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** How long ago a moment was, or how far ahead it is: “3 hours ago”. */
export function formatAgo(moment: string, now = Date.now()): string {
  const seconds = (Date.parse(moment) - now) / 1000;
  for (const [unit, length] of spans) {
    if (Math.abs(seconds) >= length)
      return formats.value.ago.format(Math.round(seconds / length), unit);
  }
  return formats.value.ago.format(0, 'minute');
}
