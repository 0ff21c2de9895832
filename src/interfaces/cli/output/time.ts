const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long something took: `850ms`, `12s`, `3m 05s`, `2h 10m`, `3d 4h`. */
export function spanText(ms: number): string {
  if (ms < secondMs) return `${Math.max(0, Math.round(ms))}ms`;
  if (ms < 10 * secondMs) return `${(Math.floor(ms / 100) / 10).toFixed(1)}s`;
  if (ms < minuteMs) return `${Math.floor(ms / secondMs)}s`;
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)}m ${two(Math.floor((ms % minuteMs) / secondMs))}s`;
  if (ms < dayMs) return `${Math.floor(ms / hourMs)}h ${two(Math.floor((ms % hourMs) / minuteMs))}m`;
  return `${Math.floor(ms / dayMs)}d ${Math.floor((ms % dayMs) / hourMs)}h`;
}

/** When it was or will be, seen from now: `just now`, `3m ago`, `in 20s`. */
export function whenText(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance < secondMs) return 'just now';
  const text = roughText(distance);
  return at <= now ? `${text} ago` : `in ${text}`;
}

function roughText(ms: number): string {
  if (ms < minuteMs) return `${Math.floor(ms / secondMs)}s`;
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)}m`;
  if (ms < dayMs) return `${Math.floor(ms / hourMs)}h`;
  return `${Math.floor(ms / dayMs)}d`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** Undefined where nobody would call it silent yet. */
export function silenceText(lastOutputAt: number | undefined, now: number): string | undefined {
  if (lastOutputAt === undefined || now - lastOutputAt < minuteMs) return undefined;
  const minutes = Math.floor((now - lastOutputAt) / minuteMs);
  const hours = Math.floor(minutes / 60);
  return `silent for ${hours === 0 ? '' : `${hours} h `}${minutes % 60} min`;
}

/** The time of day on a clock here, to the second. */
export function clockText(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
}

/** Day and time on a calendar here, to the second. */
export function momentText(at: number): string {
  return `${dayText(at)} ${clockText(at)}`;
}

/** The day on a calendar here: `2026-11-15`. */
export function dayText(at: number): string {
  const date = new Date(at);
  return [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
}
