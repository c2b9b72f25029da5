import { type ReactNode, useEffect, useState } from 'react'

type PlayerProps = {
  file: Blob
  /** What the file is, whatever it was stored as. */
  type: string
  title: string
  /** In its place where the browser cannot play it. */
  otherwise: ReactNode
}

/** A video or a recording, with the browser's own controls. */
export function Player({ file, type, title, otherwise }: PlayerProps) {
  const [address, setAddress] = useState<string>()
  const [failed, setFailed] = useState(false)
  useEffect(() => {
    const made = URL.createObjectURL(file.slice(0, file.size, type))
    setAddress(made)
    return () => URL.revokeObjectURL(made)
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
