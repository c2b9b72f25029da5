import { type ReactNode, useEffect, useState } from 'react'

type PlayerProps = {
  file: Blob
  /** The detected type, whatever it was stored as. */
  type: string
  title: string
  /** Fallback if the browser can't play it. */
  otherwise: ReactNode
}

export function Player({ file, type, title, otherwise }: PlayerProps) {
  const [address, setAddress] = useState<string>()
  const [failed, setFailed] = useState(false)
  useEffect(() => {
    const url = URL.createObjectURL(file.slice(0, file.size, type))
    setAddress(url)
    return () => URL.revokeObjectURL(url)
  }, [file, type])
  if (failed) return otherwise
  if (!address) return null
  const play = { src: address, controls: true, 'aria-label': title, onError: () => setFailed(true) }
  return type.startsWith('video/') ? (
    <video {...play} className="mx-auto max-h-[80dvh] max-w-full rounded-lg border border-line" />
  ) : (
    <audio {...play} className="mx-auto w-full max-w-[44rem]" />
  )
}
