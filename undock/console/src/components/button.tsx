import clsx from 'clsx'
import { type LucideIcon, Pause, Play } from 'lucide-react'
import type { ComponentProps } from 'react'

type Look = 'plain' | 'primary' | 'danger' | 'quiet'

const LOOKS: Readonly<Record<Look, string>> = {
  plain: 'border border-line bg-raised text-ink hover:border-ink-faint',
  primary: 'border border-transparent bg-accent text-on-accent hover:brightness-110',
  danger: 'border border-danger/40 bg-raised text-danger hover:bg-danger-soft',
  quiet: 'border border-transparent text-ink-soft hover:bg-panel hover:text-ink',
}

type ButtonProps = ComponentProps<'button'> & {
  look?: Look
  /** Shown before the text. */
  icon?: LucideIcon
}

export function Button({ look = 'plain', icon: Icon, className, children, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      className={clsx(
        'inline-flex h-8 shrink-0 items-center gap-1.5 whitespace-nowrap rounded-md px-2.5 font-medium text-[13px] disabled:opacity-50 [&_svg]:size-4',
        LOOKS[look],
        className,
      )}
    >
      {Icon ? <Icon aria-hidden /> : null}
      {children}
    </button>
  )
}

type IconButtonProps = Omit<ComponentProps<'button'>, 'aria-label' | 'children'> & { label: string; icon: LucideIcon }

/** A button with only an icon. */
export function IconButton({ label, icon: Icon, className, ...props }: IconButtonProps) {
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      {...props}
      className={clsx(
        'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-soft hover:bg-panel hover:text-ink disabled:opacity-40 [&_svg]:size-4',
        className,
      )}
    >
      <Icon aria-hidden />
    </button>
  )
}

/** Pauses or resumes a live list. */
export const FollowButton = ({ isFollowing, onClick }: { isFollowing: boolean; onClick: () => void }) => (
  <Button icon={isFollowing ? Pause : Play} look="quiet" aria-pressed={!isFollowing} onClick={onClick}>
    {isFollowing ? 'Pause' : 'Follow'}
  </Button>
)
