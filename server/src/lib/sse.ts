/** A stand-in until the real reader is here; LF only. */
export const flagComment = 1 << 16, flagMultiData = 1 << 17, flagNamed = 1 << 18;
export interface SseReader{push(c:Buffer):boolean;readonly buffer:Buffer;readonly count:number;eventStart(i:number):number;eventEnd(i:number):number;dataStart(i:number):number;flags(i:number):number;dataText(i:number):string;eventName(i:number):string|undefined;end():void}
export interface SseReaderFactory{create():SseReader}
class R implements SseReader{
  buffer:Buffer=Buffer.alloc(0);count=0;starts:number[]=[];ends:number[]=[];ds:number[]=[];fl:number[]=[];pending:Buffer|undefined;marks:Buffer[];
  constructor(marks:Buffer[]){this.marks=marks}
  push(chunk:Buffer){
    let b=chunk;let from=0;
    if(this.pending!==undefined){from=Math.max(0,this.pending.length-1);b=Buffer.concat([this.pending,chunk]);this.pending=undefined}
    this.buffer=b;this.count=0;let start=0;let pos=from;
    for(;;){const i=b.indexOf(10,pos);if(i<0||i+1>=b.length){break}
      if(b[i+1]===10){const e=i+2;const n=this.count++;this.starts[n]=start;this.ends[n]=e;this.classify(n,b,start,i);start=e;pos=e}else pos=i+1}
    if(start<b.length)this.pending=b.subarray(start);
    return true;
  }
  classify(n:number,b:Buffer,s:number,e:number){
    let f=0;
    if(b[s]!==0x64){this.ds[n]=-1;this.fl[n]=flagComment;return}
    const d=b[s+5]===32?s+6:s+5;this.ds[n]=d;
    for(let i=d;i<e;i++){if(b[i]===0x22){const c=b[i+1];
      if(c===0x75||c===0x66||c===0x65){for(let k=0;k<3;k++){const m=this.marks[k]!;if(m[0]!==c)continue;let j=0;while(j<m.length&&b[i+1+j]===m[j])j++;if(j===m.length&&b[i+1+j]===0x22){let p=i+2+j;while(b[p]===32)p++;if(b[p]===0x3a){p++;while(b[p]===32)p++;if(b[p]!==0x6e)f|=1<<k}}}}}}
    this.fl[n]=f;
  }
  eventStart(i:number){return this.starts[i]!}eventEnd(i:number){return this.ends[i]!}dataStart(i:number){return this.ds[i]!}flags(i:number){return this.fl[i]!}
  dataText(i:number){return this.buffer.toString("utf8",this.ds[i]!,this.ends[i]!-2)}eventName(){return undefined}end(){this.count=0}
}
export const createSseReaderFactory=(o:any):SseReaderFactory=>{const m=o.marks.map((x:string)=>Buffer.from(x));return{create:()=>new R(m)}};
