import { useEffect, useState } from 'react'

export function ImageView({ file, title }: { file: Blob; title: string }) {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(file)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return address ? (
    <img src={address} alt={title} className="mx-auto max-h-[80dvh] max-w-full rounded-lg border border-line" />
  ) : null
}
