import { useSyncExternalStore } from 'react'
import { describeFailure } from './failure.ts'

export type Message = {
  title: string
  description?: string
  failed?: boolean
  action?: { label: string; onClick: () => void }
}

const waiting: Message[] = []
const listeners = new Set<() => void>()
let show: ((message: Message) => void) | undefined
let wanted = false

/** Says something in passing, over whatever screen is open. */
export function say(message: Message): void {
  if (show) show(message)
  else waiting.push(message)
  wanted = true
  for (const listener of listeners) listener()
}

export function sayFailure(error: unknown): void {
  const { title, advice } = describeFailure(error)
  say({ title, description: advice, failed: true })
}

/** For what draws the messages: shows those that waited for it, then each as it comes. @returns what ends that. */
export function showMessages(draw: (message: Message) => void): () => void {
  show = draw
  for (const message of waiting.splice(0)) draw(message)
  return () => {
    show = undefined
  }
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether anything was ever said: until then what draws messages need not be loaded. */
export const useSomethingSaid = (): boolean => useSyncExternalStore(subscribe, () => wanted)
