import clsx from 'clsx'
import { X } from 'lucide-react'
import { useEffect } from 'react'
import { createStore } from '../lib/state.ts'
import { IconButton } from './button.tsx'

type Toast = { readonly id: number; readonly text: string; readonly isFailure: boolean; readonly undo?: () => void }

/** Milliseconds a message is shown. Failures stay until closed. */
const SHOWN_FOR = 6_000
const MAX_TOASTS = 4

const toasts = createStore<readonly Toast[]>([])
let lastId = 0

const add = (toast: Omit<Toast, 'id'>): void =>
  toasts.set([...toasts.get(), { ...toast, id: ++lastId }].slice(-MAX_TOASTS))
const remove = (id: number): void => toasts.set(toasts.get().filter((one) => one.id !== id))

/** Reports a success, with an undo button if possible. */
export function tellDone(text: string, undo?: () => void): void {
  add({ text, isFailure: false, ...(undo && { undo }) })
}

export function tellFailure(error: unknown): void {
  add({ text: error instanceof Error ? error.message : String(error), isFailure: true })
}

export function Toaster() {
  return (
    <section aria-label="Status messages" className="pointer-events-none fixed right-4 bottom-4 z-10 grid w-80 gap-2">
      {toasts.use().map((one) => (
        <Message key={one.id} toast={one} />
      ))}
    </section>
  )
}

function Message({ toast: { id, text, isFailure, undo } }: { toast: Toast }) {
  useEffect(() => {
    if (isFailure) return
    const timer = setTimeout(() => remove(id), SHOWN_FOR)
    return () => clearTimeout(timer)
  }, [id, isFailure])
  return (
    <div
      role={isFailure ? 'alert' : 'status'}
      className="pointer-events-auto flex min-w-0 items-start gap-2 rounded-lg border bg-raised py-1 pr-1 pl-3 text-[13px] shadow-lg"
    >
      <p className={clsx('min-w-0 flex-1 wrap-anywhere py-1.5', isFailure && 'text-danger')}>{text}</p>
      {undo ? (
        <button
          type="button"
          className="rounded-md px-2 py-1.5 font-medium text-accent hover:bg-panel"
          onClick={() => {
            remove(id)
            undo()
          }}
        >
          Undo
        </button>
      ) : null}
      <IconButton icon={X} label="Close the message" onClick={() => remove(id)} />
    </div>
  )
}
