import { useSearch } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { useSearchChange } from '../lib/state.ts'
import { SearchInput, Select } from './field.tsx'

/** The name of a search parameter. */
type Part = Exclude<keyof ReturnType<typeof useAnySearch>, 'filters' | 'near'>

const useAnySearch = () => useSearch({ strict: false })

type SearchFilterProps = ComponentProps<typeof SearchInput> & { name?: Part }

/** A search field whose text is a search parameter. */
export function SearchFilter({ name = 'text', ...props }: SearchFilterProps) {
  const search = useAnySearch()
  const change = useSearchChange()
  return (
    <SearchInput
      className="max-w-64"
      {...props}
      value={String(search[name] ?? '')}
      onValue={(value) => change({ [name]: value || undefined })}
    />
  )
}

type SelectFilterProps = ComponentProps<typeof Select> & {
  name: Part
  label: string
  /** The default, which the address omits. */
  initial?: string
}

/** A choice stored in the address. */
export function SelectFilter({ name, label, initial = '', ...props }: SelectFilterProps) {
  const search = useAnySearch()
  const change = useSearchChange()
  return (
    <Select
      aria-label={label}
      className="w-auto! max-w-48"
      {...props}
      value={String(search[name] ?? initial)}
      onValue={(value) => change({ [name]: value === initial ? undefined : value })}
    />
  )
}

type FilterBarProps = { children: ReactNode; found?: ReactNode; after?: ReactNode }

/** A list's filters, the number of results, and buttons. */
export const FilterBar = ({ children, found, after }: FilterBarProps) => (
  <div className="flex flex-wrap items-center gap-3 border-b px-4 py-2">
    {children}
    {found ? <p className="ml-auto text-ink-faint text-xs">{found}</p> : null}
    {after}
  </div>
)
