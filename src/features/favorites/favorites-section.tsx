import { t } from '../../lib/i18n/i18n.ts'
import { FavoriteList } from './favorite-list.tsx'
import { useFavorites } from './use-favorites.ts'

export function FavoritesSection({ library }: { library: string }) {
  const { favorites } = useFavorites()
  const here = favorites.filter(({ library_id }) => library_id === library)
  if (here.length === 0) return null
  return (
    <section aria-labelledby="favorites">
      <h2 id="favorites" className="eyebrow flex min-h-8 items-center ps-2.5">
        {t('Favorites')}
      </h2>
      <FavoriteList label={t('Favorites')} favorites={here} canMove />
    </section>
  )
}
