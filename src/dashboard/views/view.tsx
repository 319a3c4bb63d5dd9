import { Link } from '../navigation.tsx'
import type { Route } from '../route.ts'
import { DeadLettersView } from './dead-letters.tsx'
import { EventView } from './event.tsx'
import { GroupView } from './group.tsx'
import { Heading } from './heading.tsx'
import { StreamView } from './stream.tsx'
import { StreamsView } from './streams.tsx'

/** The view of a route. */
export const View = ({ route }: { readonly route: Route }) => {
  switch (route.view) {
    case 'streams':
      return <StreamsView after={route.after} />
    case 'stream':
      return <StreamView stream={route.stream} where={route.where} />
    case 'event':
      return <EventView {...route} />
    case 'group':
      return <GroupView {...route} />
    case 'deadLetters':
      return <DeadLettersView {...route} />
    case 'unknown':
      return (
        <>
          <Heading>There is nothing here</Heading>
          <p>
            The address leads to no page. <Link to={{ view: 'streams' }}>See all streams</Link>
          </p>
        </>
      )
  }
}
