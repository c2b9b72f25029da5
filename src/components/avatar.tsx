import { useState } from 'react'
import { classNames } from '../lib/ui/class-names.ts'

const HUES = [163, 35, 75, 250, 320, 200, 110, 285]

/** Returns the initials of the first and last word, or the first two letters of a single word. */
export function initialsOf(name: string): string {
  const words = name
    .trim()
    .split(/[\s._@-]+/u)
    .filter(Boolean)
  const [first = '', last] = [words[0], words.length > 1 ? words.at(-1) : undefined]
  const letters = last ? [...first].slice(0, 1).concat([...last].slice(0, 1)) : [...first].slice(0, 2)
  return letters.join('').toUpperCase() || '?'
}

function hueOf(name: string): number {
  let sum = 0
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973
  return HUES[sum % HUES.length] ?? 163
}

type AvatarProps = { name: string; src?: string | null | undefined; className?: string; decorative?: boolean }

/** @param decorative The name is shown next to it, so screen readers skip the picture. */
export function Avatar({ name, src, className, decorative }: AvatarProps) {
  const hue = hueOf(name)
  const [shown, setShown] = useState<string>()
  return (
    <span
      {...(decorative ? { 'aria-hidden': true } : { role: 'img', 'aria-label': name })}
      // Drawn by CSS, so that initials aren't part of the page's text.
      data-initials={src && shown === src ? undefined : initialsOf(name)}
      className={classNames(
        'inline-grid base:size-8 shrink-0 select-none place-items-center overflow-hidden rounded-full font-semibold base:text-[0.6875rem] tracking-wide before:content-[attr(data-initials)]',
        className,
      )}
      style={{ backgroundColor: `oklch(0.87 0.055 ${hue})`, color: `oklch(0.32 0.07 ${hue})` }}
    >
      {src ? (
        <img src={src} alt="" hidden={shown !== src} onLoad={() => setShown(src)} className="size-full object-cover" />
      ) : null}
    </span>
  )
}
