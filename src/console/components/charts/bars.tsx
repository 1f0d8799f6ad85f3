/** Bars one below the other, each with what it is and how much. */

export interface Bar {
  readonly key: string | number;
  readonly label: string;
  readonly value: number;
  /** The value in words. */
  readonly text: string;
}

export function Bars({ bars }: { readonly bars: readonly Bar[] }) {
  const max = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <ul class="bars">
      {bars.map(({ key, label, value, text }) => (
        <li key={key}>
          <span class="bar-label" title={label}>
            {label}
          </span>
          <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
            <rect class="series-0" width={(100 * value) / max} height="1" />
          </svg>
          <span class="bar-value">{text}</span>
        </li>
      ))}
    </ul>
  );
}
