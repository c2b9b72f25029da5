export function Wordmark() {
  return (
    <span className="inline-flex items-center gap-2 font-semibold font-serif text-ink text-lg tracking-tight">
      <svg aria-hidden="true" viewBox="0 0 20 20" className="size-5">
        <path d="M1.5 3.5h5.8c1 0 1.7.7 1.7 1.7v11.3c0-.9-.7-1.6-1.6-1.6H1.5z" fill="currentColor" opacity="0.85" />
        <path d="M18.5 3.5h-5.8c-1 0-1.7.7-1.7 1.7v11.3c0-.9.7-1.6 1.6-1.6h5.9z" className="fill-accent" />
      </svg>
      Carrel
    </span>
  )
}
