import { useEffect, useEffectEvent, useState } from 'react'

/** Milliseconds until a refused stream is requested again. The browser reopens lost connections itself. */
const RETRY = 3_000

type EventsOptions<T> = {
  /** Null stops the stream. */
  path: string | null
  onEvent: (data: T) => void
  /** Called initially and after each reconnection. */
  onOpen?: () => void
}

/** Follows server-sent events whose data is JSON.
 *  @returns whether the stream is open. */
export function useEvents<T>({ path, onEvent, onOpen }: EventsOptions<T>): boolean {
  const [isOpen, setIsOpen] = useState(false)
  const receive = useEffectEvent((text: string) => onEvent(JSON.parse(text) as T))
  const opened = useEffectEvent(() => onOpen?.())
  useEffect(() => {
    if (path === null) return
    let source: EventSource
    let timer: ReturnType<typeof setTimeout>
    const connect = () => {
      source = new EventSource(`/api${path}`)
      source.onopen = () => {
        setIsOpen(true)
        opened()
      }
      source.onmessage = ({ data }) => receive(data)
      source.onerror = () => {
        setIsOpen(false)
        if (source.readyState === EventSource.CLOSED) timer = setTimeout(connect, RETRY)
      }
    }
    connect()
    return () => {
      setIsOpen(false)
      clearTimeout(timer)
      source.close()
    }
  }, [path])
  return isOpen
}
