import { useLocation } from '@tanstack/react-router'
import clsx from 'clsx'
import { PanelLeft } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'

/** The look of a link or a button in the list at the side. */
export const SIDE_ENTRY =
  'block w-full truncate rounded-md px-2 py-1 text-left text-[13px] text-ink-soft hover:bg-panel hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-ink'

type BesideProps = {
  /** The name of the list, such as "Tables". */
  label: string
  side: ReactNode
  /** Of the side, such as its width. */
  className?: string
  /** Whether the content is of something in the list. While it is not, a narrow screen shows the list alone. */
  isChosen?: boolean
  children: ReactNode
}

/** Content with a list to its left. On a narrow screen, the list is behind a button and covers the content until
 *  something is chosen. */
export function Beside({ label, side, className, isChosen = true, children }: BesideProps) {
  const { href } = useLocation()
  const [openAt, setOpenAt] = useState<string>()
  const isOpen = openAt === href
  return (
    <div className="relative flex h-full max-md:flex-col">
      {isChosen ? (
        <div className="shrink-0 border-b px-2 py-1 md:hidden">
          <Button
            icon={PanelLeft}
            look="quiet"
            aria-expanded={isOpen}
            onClick={() => setOpenAt(isOpen ? undefined : href)}
          >
            {label}
          </Button>
        </div>
      ) : null}
      <div
        className={clsx(
          'flex shrink-0 flex-col overflow-auto border-r md:relative',
          isChosen
            ? 'max-md:absolute max-md:top-10 max-md:bottom-0 max-md:z-5 max-md:w-64! max-md:bg-page max-md:shadow-xl'
            : 'max-md:w-full! max-md:flex-1',
          isChosen && !isOpen && 'max-md:hidden',
          className,
        )}
      >
        {side}
      </div>
      <div className={clsx('min-h-0 min-w-0 flex-1', !isChosen && 'max-md:hidden')}>{children}</div>
    </div>
  )
}
