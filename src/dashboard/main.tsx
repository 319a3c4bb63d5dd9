import { render } from 'preact'

render(<h1>Streams</h1>, document.getElementById('dashboard')!)
