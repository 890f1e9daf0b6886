/** The short forms of every second rig; the others run in the file beside this one. */
import { testEverySecond } from "./short-forms.ts";

testEverySecond(1);
