import { showAges, startCopying, startTheme } from './dom.ts';
import { List } from './list.ts';

document.documentElement.classList.add('live');
startTheme();
startCopying();
showAges();
// A page without entries has no toolbar.
if (document.getElementById('text')) new List().start();
