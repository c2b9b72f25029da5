import clsx from 'clsx'
import { X } from 'lucide-react'
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { IconButton } from './button.tsx'

type DialogProps = {
  title: string
  onClose: () => void
  children: ReactNode
  /** The buttons at the bottom. */
  actions?: ReactNode
  /** Called when the form is submitted by Enter or a submit button. */
  onSubmit?: () => void
  wide?: boolean
}

/** A modal dialog, open while it's rendered. Escape closes it. */
export function Dialog({ title, onClose, children, actions, onSubmit, wide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useLayoutEffect(() => {
    const element = dialog.current
    if (element && !element.open) element.showModal()
    // Otherwise the browser would focus the close button.
    const first =
      element?.querySelector<HTMLElement>('[data-first]') ?? element?.querySelector('input, select, textarea')
    if (first instanceof HTMLElement) first.focus()
    // Closing returns the focus; only removing the element wouldn't.
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClose={({ currentTarget }) => {
        if (!currentTarget.open) onClose()
      }}
      className={clsx(
        'max-h-[85vh] w-[calc(100vw-2rem)] rounded-lg border border-line bg-page shadow-xl',
        wide ? 'max-w-3xl' : 'max-w-md',
      )}
    >
      <form
        className="flex max-h-[85vh] flex-col"
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit?.()
        }}
      >
        <header className="flex items-center justify-between gap-2 border-b px-4 py-2.5">
          <h2 id={heading} className="font-semibold text-[15px]">
            {title}
          </h2>
          <IconButton icon={X} label="Close" onClick={onClose} />
        </header>
        <div className="grid min-h-0 gap-3 overflow-auto p-4">{children}</div>
        {actions ? <footer className="flex justify-end gap-2 border-t px-4 py-3">{actions}</footer> : null}
      </form>
    </dialog>
  )
}
