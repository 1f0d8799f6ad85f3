/** Columns side by side, month by month, of one or more series on top of each other. */
import { formatMonthAlone } from '../../words/format.ts';

interface Month {
  /** Such as `2026-03`. */
  readonly month: string;
  /** A value of each series. */
  readonly values: readonly number[];
  /** Shown below the month. */
  readonly text: string;
}

export function Months({
  months,
  series,
}: {
  readonly months: readonly Month[];
  /** What the series are, where there are several. */
  readonly series: readonly string[];
}) {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const max = Math.max(1, ...months.map(({ values }) => sum(values)));
  return (
    <div class="months">
      {series.length > 1 && (
        <ul class="legend">
          {series.map((name, index) => (
            <li key={name} class={`series-${index}`}>
              {name}
            </li>
          ))}
        </ul>
      )}
      <ol>
        {months.map(({ month, values, text }) => (
          <li key={month}>
            <svg viewBox="0 0 1 100" preserveAspectRatio="none" aria-hidden="true">
              {values.map((value, index) => {
                const height = (100 * value) / max;
                const below = (100 * sum(values.slice(0, index))) / max;
                return (
                  <rect
                    key={series[index]}
                    class={`series-${index}`}
                    y={100 - below - height}
                    width="1"
                    height={height}
                  />
                );
              })}
            </svg>
            <span>{formatMonthAlone(month)}</span>
            {/* “100 %” on one line is wider than one of many months. */}
            <small>{text.replace('\u00a0', ' ')}</small>
          </li>
        ))}
      </ol>
    </div>
  );
}
