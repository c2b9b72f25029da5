import { createStore, useStore } from '../store.ts'

export type Toast = {
  title: string
  description?: string
  failed?: boolean
  action?: { label: string; onClick: () => void }
}

const queue: Toast[] = []
let draw: ((toast: Toast) => void) | undefined
const hasToasts = createStore(false)

/** Shows a short message over any screen. */
export function showToast(toast: Toast): void {
  if (draw) draw(toast)
  else queue.push(toast)
  hasToasts.set(true)
}

/** Shows queued toasts, then new ones. @returns a function that detaches the toaster. */
export function attachToaster(drawToast: (toast: Toast) => void): () => void {
  draw = drawToast
  for (const toast of queue.splice(0)) drawToast(toast)
  return () => {
    draw = undefined
  }
}

/** Whether there has been a toast, so that the toaster is needed. */
export const useHasToasts = (): boolean => useStore(hasToasts)
