import { X } from 'lucide-react'
import * as Radix from 'radix-ui/dialog'
import type { ReactNode } from 'react'
import { t } from '../lib/i18n/i18n.ts'
import { classNames } from '../lib/ui/class-names.ts'
import { IconButton } from './button.tsx'
import { useFocusReturn } from './focus-return.ts'

export type DialogProps = {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description?: ReactNode
  /** `drawer` slides in from the inline start, `sheet` from the bottom, `panel` is centered. */
  shape?: 'panel' | 'drawer' | 'sheet'
  className?: string
  children: ReactNode
}

const SHAPE = {
  panel:
    'animate-rise left-1/2 top-[8dvh] max-h-[84dvh] base:w-[min(32rem,calc(100vw-2rem))] -translate-x-1/2 rounded-xl border p-6',
  drawer: 'animate-slide-in inset-y-0 start-0 w-[min(20rem,85vw)] border-e p-4',
  sheet:
    'animate-slide-up inset-x-0 bottom-0 max-h-[85dvh] rounded-t-xl border-t p-5 pb-[max(1.25rem,env(safe-area-inset-bottom))]',
}

export function DialogContent({
  open,
  onOpenChange,
  title,
  description,
  shape = 'panel',
  className,
  children,
}: DialogProps) {
  const focusReturn = useFocusReturn(open)
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-appear bg-veil" />
        <Radix.Content
          {...focusReturn}
          {...(description ? {} : { 'aria-describedby': undefined })}
          className={classNames(
            'fixed z-50 flex flex-col overflow-y-auto border-line bg-surface shadow-lift outline-none',
            SHAPE[shape],
            className,
          )}
        >
          <div className="mb-4 pe-10">
            <Radix.Title className="font-semibold font-serif text-xl">{title}</Radix.Title>
            {description ? (
              <Radix.Description className="mt-1 text-ink-soft text-sm">{description}</Radix.Description>
            ) : null}
          </div>
          {children}
          {/* Last, so that the focus starts on the content. */}
          <Radix.Close asChild>
            <IconButton icon={X} label={t('Close')} className="absolute top-4 end-4" />
          </Radix.Close>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
