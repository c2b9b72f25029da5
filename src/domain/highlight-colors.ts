import { msg } from '../lib/i18n/i18n.ts'

/** Highlight colors. Each also has its own underline (src/styles/marks.css). */
export const HIGHLIGHT_COLORS = [
  { value: 'yellow', label: msg('Yellow'), paint: 'bg-marker-yellow', edge: 'border-marker-yellow' },
  { value: 'green', label: msg('Green'), paint: 'bg-marker-green', edge: 'border-marker-green' },
  { value: 'blue', label: msg('Blue'), paint: 'bg-marker-blue', edge: 'border-marker-blue' },
  { value: 'pink', label: msg('Pink'), paint: 'bg-marker-pink', edge: 'border-marker-pink' },
] as const
export type HighlightColor = (typeof HIGHLIGHT_COLORS)[number]['value']

/** Returns a highlight's color; yellow for old ones without. */
export const colorOf = (stored: string | null): (typeof HIGHLIGHT_COLORS)[number] =>
  HIGHLIGHT_COLORS.find(({ value }) => value === stored) ?? HIGHLIGHT_COLORS[0]
