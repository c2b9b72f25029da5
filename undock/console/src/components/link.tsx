import { createLink } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'

type AnchorProps = Omit<ComponentProps<'a'>, 'className'>

/** An inline link. */
export const TextLink = createLink((props: AnchorProps) => <a {...props} className="text-accent underline" />)

/** A link next to a page's heading. */
export const PageLink = createLink((props: AnchorProps) => (
  <a {...props} className="px-2 text-[13px] text-ink-soft hover:text-ink hover:underline" />
))

/** A sidebar link, marked while its page is open. */
export const SideLink = createLink((props: AnchorProps) => (
  <a
    {...props}
    className="flex h-7 items-center gap-2 rounded-md px-2 text-[13px] text-ink-soft hover:bg-panel hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-ink"
  />
))

/** A link styled as a quiet button. */
export const ButtonLink = createLink(({ icon: Icon, children, ...props }: AnchorProps & { icon: LucideIcon }) => (
  <a
    {...props}
    className="inline-flex h-8 items-center gap-1.5 rounded-md px-2.5 font-medium text-[13px] text-ink-soft hover:bg-panel hover:text-ink"
  >
    <Icon aria-hidden className="size-4" />
    {children}
  </a>
))
