export const MENU =
  'z-50 max-w-[calc(100vw-1rem)] animate-rise overflow-y-auto rounded-lg border border-line bg-surface p-1 shadow-lift'

export const MENU_ITEM =
  'flex min-h-9 cursor-pointer select-none items-center gap-2.5 rounded-md pe-2.5 base:ps-2.5 py-1.5 text-sm base:text-ink outline-none data-[disabled]:cursor-not-allowed data-[highlighted]:bg-hover data-[disabled]:opacity-50 [&_svg]:size-4 base:[&_svg]:text-ink-faint'
